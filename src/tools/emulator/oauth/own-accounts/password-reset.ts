import type { DatabaseSync } from 'node:sqlite'
import { Router } from 'express'
import { onlyMethods } from '../../../../server/only-methods.ts'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { hashPassword } from '../../../../users/passwords/argon2.ts'
import { type AccountDeps, addFormRoute, carriedLink, showForm, type Visit } from '../account-form.ts'
import { showMessage, showPage, showWrongMethod, wordsOf } from '../page.ts'
import { digest, randomToken } from '../tokens/token-store.ts'
import { endSessionsOf } from './account-session.ts'
import { faultInNewPassword } from './user-authentication.ts'

/** `user_id` is null for an unknown user: the request then takes the same time as for a known one. */
export const RESET_TABLE = `
  CREATE TABLE IF NOT EXISTS oauth_password_resets (
    token_hash TEXT PRIMARY KEY,
    user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
    expires_at_seconds INTEGER NOT NULL
  ) STRICT;
`

const LINK_LIFETIME_SECONDS = 900

/**
 * Routes of `/account/forgot`, which sends a link, of `/account/reset`, to which the link leads, and of
 * `/account/outbox`, which shows developers the mails.
 */
export function passwordResetRoutes(deps: AccountDeps): Router {
  const { database, nowSeconds, outbox } = deps
  const router = Router({ caseSensitive: true, strict: true })
  addFormRoute(router, '/account/forgot', deps, {
    show: (visit) => showForm(visit, 'forgot', {}),
    post: (visit) => sendLink(deps, visit),
  })
  addFormRoute(router, '/account/reset', deps, {
    show(visit) {
      const { token = '' } = visit.fields
      const username = usernameOfLink(database, token, nowSeconds())
      return username === null ? showDeadLink(visit) : showForm(visit, 'reset', { token, username })
    },
    post: (visit) => savePassword(deps, visit),
  })
  router
    .route('/account/outbox')
    .get((req, res) => {
      // Split at the addresses, so that the page can link them.
      const parts = (text: string) =>
        text.split(/(https?:\/\/\S+)/).map((part, at) => ({ text: part, isLink: at % 2 === 1 }))
      const mails = outbox.newestFirst().map((mail) => ({ ...mail, parts: parts(mail.text) }))
      showPage(res, 'outbox', wordsOf(req, null), { mails })
    })
    .all(onlyMethods('GET, HEAD', showWrongMethod))
  return router
}

/** Sends a link to a known user. The page and the time are the same for an unknown user. */
function sendLink({ database, nowSeconds, publicUrl, outbox }: AccountDeps, visit: Visit): void {
  const { req, res, request, fields } = visit
  const words = wordsOf(req, request?.lang)
  const username = (fields.username ?? '').slice(0, 255).normalize('NFC')
  const user = database.prepare('SELECT id, username FROM users WHERE username = ?').get(username)
  const token = randomToken()
  database.prepare('DELETE FROM oauth_password_resets WHERE expires_at_seconds <= ?').run(nowSeconds())
  database
    .prepare('INSERT INTO oauth_password_resets (token_hash, user_id, expires_at_seconds) VALUES (?, ?, ?)')
    .run(digest(token), user?.id ?? null, nowSeconds() + LINK_LIFETIME_SECONDS)
  const link = `${publicUrl}/account/reset?token=${token}${carriedLink(request).replace('?', '&')}`
  const text = words.say('resetMail', { username, link })
  if (user !== undefined) {
    const to = String(user.username)
    outbox.put({ to, subject: words.resetMailSubject, text, sentAtSeconds: nowSeconds() })
  }
  res.locals.explanation = user === undefined ? 'Unknown user: no mail' : 'The mail is in /account/outbox'
  const outboxLink = { href: '/account/outbox', text: words.openOutbox }
  showMessage(res, words, { heading: words.linkSentHeading, text: words.linkSent, link: outboxLink }, 200)
}

function usernameOfLink(database: DatabaseSync, token: string, nowSeconds: number): string | null {
  const row = database
    .prepare(
      `SELECT users.username FROM oauth_password_resets JOIN users ON users.id = user_id
       WHERE token_hash = ? AND expires_at_seconds > ?`,
    )
    .get(digest(token), nowSeconds)
  return row === undefined ? null : String(row.username)
}

function showDeadLink({ req, res, request }: Visit): void {
  res.locals.explanation = 'The link was used, has expired or does not exist'
  const words = wordsOf(req, request?.lang)
  const link = { href: `/account/forgot${carriedLink(request)}`, text: words.sendLink }
  showMessage(res, words, { heading: words.linkDeadHeading, text: words.linkDead, link }, 410)
}

async function savePassword({ database, nowSeconds }: AccountDeps, visit: Visit): Promise<void> {
  const { req, res, request, fields } = visit
  const { token = '', password = '' } = fields
  const words = wordsOf(req, request?.lang)
  const username = usernameOfLink(database, token, nowSeconds())
  if (username === null) return showDeadLink(visit)
  const fault = await faultInNewPassword(password, username)
  if (fault !== null) {
    const refusal = { status: 400, alert: words.passwordFaults[fault], explanation: `Password refused: ${fault}` }
    return showForm(visit, 'reset', { token, username }, refusal)
  }
  if (!useLink(database, token, await hashPassword(password), nowSeconds())) return showDeadLink(visit)
  const link = { href: `/account/sign-in${carriedLink(request)}`, text: words.signIn }
  showMessage(res, words, { heading: words.passwordSavedHeading, text: words.passwordSaved, link }, 200)
}

/** Sets the password, and deletes all sessions and links of the user. Returns false if the link is no longer valid. */
function useLink(database: DatabaseSync, token: string, passwordHash: string, nowSeconds: number): boolean {
  return inTransaction(database, () => {
    const used = database
      .prepare('DELETE FROM oauth_password_resets WHERE token_hash = ? AND expires_at_seconds > ? RETURNING user_id')
      .get(digest(token), nowSeconds)
    const userId = used?.user_id ?? null
    if (userId === null) return false
    database.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(passwordHash, userId)
    database.prepare('DELETE FROM oauth_password_resets WHERE user_id = ?').run(userId)
    endSessionsOf(database, Number(userId))
    return true
  })
}
