import type { DatabaseSync } from 'node:sqlite'
import { type Request, type Response, Router } from 'express'
import { onlyMethods } from '../../../../server/only-methods.ts'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { hashPassword } from '../../../../users/passwords/argon2.ts'
import { formBody } from '../../http/form.ts'
import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import { carriedLocals, readCarriedRequest } from '../authorize/carried-request.ts'
import { formFields, ownPostsOnly, showMessage, showPage, showWrongMethod, wordsOf } from '../page.ts'
import { digest, randomToken } from '../tokens/token-store.ts'
import { endSessionsOf } from './account-session.ts'
import type { Outbox } from './outbox.ts'
import { oneValue } from './sign-in.ts'
import { faultInNewPassword, type UserAuthenticationDeps } from './user-authentication.ts'

/** `user_id` is null for an unknown user: the request then takes the same time as for a known one. */
export const RESET_TABLE = `
  CREATE TABLE IF NOT EXISTS oauth_password_resets (
    token_hash TEXT PRIMARY KEY,
    user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
    expires_at_seconds INTEGER NOT NULL
  ) STRICT;
`

interface ResetDeps extends Pick<UserAuthenticationDeps, 'database' | 'limits'> {
  readonly nowSeconds: () => number
  readonly publicUrl: string
  readonly outbox: Outbox
}

const LINK_LIFETIME_SECONDS = 900

/** Routes of `/account/forgot`, which sends a link, and of `/account/reset`, to which the link leads. */
export function passwordResetRoutes(deps: ResetDeps): Router {
  const { database, publicUrl, nowSeconds } = deps
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/account/forgot')
    .get((req, res) => {
      const carried = readCarriedRequest(database, req, res, oneValue(req.query.request))
      if (carried.ok) showForgot(req, res, carried.request)
    })
    .post(ownPostsOnly(publicUrl), formBody, (req, res) => sendLink(deps, req, res))
    .all(onlyMethods('GET, HEAD, POST', showWrongMethod))
  router
    .route('/account/reset')
    .get((req, res) => {
      const carried = readCarriedRequest(database, req, res, oneValue(req.query.request))
      if (!carried.ok) return
      const token = oneValue(req.query.token) ?? ''
      const username = usernameOfLink(database, token, nowSeconds())
      if (username === null) return showDeadLink(req, res, carried.request)
      showReset(req, res, { request: carried.request, token, username, alert: null })
    })
    .post(ownPostsOnly(publicUrl), formBody, (req, res) => savePassword(deps, req, res))
    .all(onlyMethods('GET, HEAD, POST', showWrongMethod))
  return router
}

function showForgot(req: Request, res: Response, request: AuthorizationRequest | null, waitSeconds?: number): void {
  const words = wordsOf(req, request?.lang)
  const alert = waitSeconds === undefined ? null : words.say('tooManyFailures', { seconds: waitSeconds })
  showPage(
    res,
    'forgot',
    words,
    { ...carriedLocals(request), alert },
    { status: waitSeconds === undefined ? 200 : 429 },
  )
}

/** Sends a link to a known user. The page and the time are the same for an unknown user. */
async function sendLink(deps: ResetDeps, req: Request, res: Response): Promise<void> {
  const { database, limits, nowSeconds, publicUrl, outbox } = deps
  const fields = formFields(req, res)
  if (fields === null) return
  const carried = readCarriedRequest(database, req, res, fields.request)
  if (!carried.ok) return
  const { request } = carried
  const username = (fields.username ?? '').slice(0, 255).normalize('NFC')
  const admission = await limits.admit('reset', username, req.socket.remoteAddress ?? '')
  if (!admission.ok) {
    res.locals.explanation = 'Too many requests for a link'
    res.set('Retry-After', String(admission.retryAfterSeconds))
    return showForgot(req, res, request, admission.retryAfterSeconds)
  }
  const user = database.prepare('SELECT id, username, language FROM users WHERE username = ?').get(username)
  const token = randomToken()
  database.prepare('DELETE FROM oauth_password_resets WHERE expires_at_seconds <= ?').run(nowSeconds())
  database
    .prepare('INSERT INTO oauth_password_resets (token_hash, user_id, expires_at_seconds) VALUES (?, ?, ?)')
    .run(digest(token), user?.id ?? null, nowSeconds() + LINK_LIFETIME_SECONDS)
  const words = wordsOf(req, request?.lang)
  const { carriedLink } = carriedLocals(request)
  const link = `${publicUrl}/account/reset?token=${token}${carriedLink.replace('?', '&')}`
  const mail = {
    to: String(user?.username ?? ''),
    subject: words.resetMailSubject,
    text: words.say('resetMail', { username, link }),
  }
  res.locals.explanation = user === undefined ? 'Unknown user: no mail' : 'The mail is in /account/outbox'
  if (user !== undefined) outbox.put({ ...mail, sentAtSeconds: nowSeconds() })
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

function showReset(
  req: Request,
  res: Response,
  shown: { request: AuthorizationRequest | null; token: string; username: string; alert: string | null },
  status = 200,
): void {
  const { request, ...locals } = shown
  showPage(res, 'reset', wordsOf(req, request?.lang), { ...carriedLocals(request), ...locals }, { status })
}

function showDeadLink(req: Request, res: Response, request: AuthorizationRequest | null): void {
  res.locals.explanation = 'The link was used, has expired or does not exist'
  const words = wordsOf(req, request?.lang)
  const link = { href: `/account/forgot${carriedLocals(request).carriedLink}`, text: words.sendLink }
  showMessage(res, words, { heading: words.linkDeadHeading, text: words.linkDead, link }, 410)
}

async function savePassword(deps: ResetDeps, req: Request, res: Response): Promise<void> {
  const { database, nowSeconds } = deps
  const fields = formFields(req, res)
  if (fields === null) return
  const carried = readCarriedRequest(database, req, res, fields.request)
  if (!carried.ok) return
  const { request } = carried
  const { token = '', password = '' } = fields
  const words = wordsOf(req, request?.lang)
  const username = usernameOfLink(database, token, nowSeconds())
  if (username === null) return showDeadLink(req, res, request)
  const fault = await faultInNewPassword(password, username)
  if (fault !== null) {
    res.locals.explanation = `Password refused: ${fault}`
    return showReset(req, res, { request, token, username, alert: words.passwordFaults[fault] }, 400)
  }
  const passwordHash = await hashPassword(password)
  if (!useLink(database, token, passwordHash, nowSeconds())) return showDeadLink(req, res, request)
  const link = { href: `/account/sign-in${carriedLocals(request).carriedLink}`, text: words.signIn }
  showMessage(res, words, { heading: words.passwordSavedHeading, text: words.passwordSaved, link }, 200)
}

/** Sets the password, and deletes all sessions and links of the user. Returns false if the link is no longer valid. */
function useLink(database: DatabaseSync, token: string, passwordHash: string, nowSeconds: number): boolean {
  return inTransaction(database, () => {
    const used = database
      .prepare('DELETE FROM oauth_password_resets WHERE token_hash = ? AND expires_at_seconds > ? RETURNING user_id')
      .get(digest(token), nowSeconds)
    const userId = used?.user_id ?? null
    if (userId !== null) {
      database.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(passwordHash, userId)
      database.prepare('DELETE FROM oauth_password_resets WHERE user_id = ?').run(userId)
      endSessionsOf(database, Number(userId))
    }
    return userId !== null
  })
}
