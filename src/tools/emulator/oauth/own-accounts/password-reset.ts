import type { DatabaseSync } from 'node:sqlite'
import type { Router } from 'express'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { hashPassword } from '../../../../users/passwords/argon2.ts'
import { randomKey } from '../../seed/secrets.ts'
import { type AccountDeps, addFormRoute, carriedLink, pathsOf, showForm, type Visit } from '../account-form.ts'
import { showMessage, showPage, wordsOf } from '../page.ts'
import { digest } from '../tokens/token-store.ts'
import { endSessionsOf } from './account-session.ts'
import { faultInNewPassword } from './user-authentication.ts'

const LINK_LIFETIME_SECONDS = 900

/** A mail that the service would send. In memory only, because the database stores only the digest of its link. */
interface ResetMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly sentAtSeconds: number
  readonly token: string
}

/**
 * Adds the routes of `/account/forgot`, which sends a link, of `/account/reset`, to which the link leads, and of
 * `/account/outbox`, which shows developers the mails whose links still work.
 */
export function addPasswordResetRoutes(router: Router, deps: AccountDeps): void {
  const { database, nowSeconds } = deps
  let mails: ResetMail[] = []
  const working = () => mails.filter(({ token }) => usernameOfLink(database, token, nowSeconds()) !== null)
  addFormRoute(router, '/account/forgot', deps, {
    show: (visit) => showForm(visit, 'forgot', {}),
    post(visit) {
      const mail = sendLink(deps, visit)
      mails = mail === null ? working() : [mail, ...working()]
    },
  })
  addFormRoute(router, '/account/reset', deps, {
    show(visit) {
      const { token = '' } = visit.fields
      const username = usernameOfLink(database, token, nowSeconds())
      return username === null ? showDeadLink(visit) : showForm(visit, 'reset', { token, username })
    },
    post: (visit) => savePassword(deps, visit),
  })
  pathsOf(router)('/account/outbox', {
    get(req, res) {
      // Split at the addresses, so that the page can link them.
      const parts = (text: string) =>
        text.split(/(https?:\/\/\S+)/).map((part, at) => ({ text: part, isLink: at % 2 === 1 }))
      const shown = working().map((mail) => ({ ...mail, parts: parts(mail.text) }))
      showPage(res, 'outbox', wordsOf(req, null), { mails: shown })
    },
  })
}

/** Makes a link for a known user. The page is the same for an unknown user. @returns the mail; null without a user. */
function sendLink({ database, nowSeconds, publicUrl }: AccountDeps, visit: Visit): ResetMail | null {
  const { req, res, request, fields } = visit
  const words = wordsOf(req, request?.lang)
  const username = (fields.username ?? '').slice(0, 255).normalize('NFC')
  const user = database.prepare('SELECT id, username FROM users WHERE username = ?').get(username)
  res.locals.explanation = user === undefined ? 'Unknown user: no mail' : 'The mail is in /account/outbox'
  const outboxLink = { href: '/account/outbox', text: words.openOutbox }
  showMessage(res, words, { heading: words.linkSentHeading, text: words.linkSent, link: outboxLink }, 200)
  if (user === undefined) return null
  const token = randomKey()
  database.prepare('DELETE FROM oauth_password_resets WHERE expires_at_seconds <= ?').run(nowSeconds())
  database
    .prepare('INSERT INTO oauth_password_resets (token_hash, user_id, expires_at_seconds) VALUES (?, ?, ?)')
    .run(digest(token), Number(user.id), nowSeconds() + LINK_LIFETIME_SECONDS)
  const link = `${publicUrl}/account/reset?token=${token}${carriedLink(request).replace('?', '&')}`
  const to = String(user.username)
  const text = words.say('resetMail', { username: to, link })
  return { to, subject: words.resetMailSubject, text, sentAtSeconds: nowSeconds(), token }
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
