import { type Request, type Response, Router } from 'express'
import { onlyMethods } from '../../../../server/only-methods.ts'
import { hashPassword } from '../../../../users/passwords/argon2.ts'
import { formBody } from '../../http/form.ts'
import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import { carriedLocals, nextPath, readCarriedRequest } from '../authorize/carried-request.ts'
import { formFields, ownPostsOnly, redirect, showPage, showWrongMethod, wordsOf } from '../page.ts'
import { isLocale, type Words } from '../words.ts'
import type { AccountSessions } from './account-session.ts'
import { oneValue } from './sign-in.ts'
import { faultInNewPassword, type UserAuthenticationDeps } from './user-authentication.ts'

interface SignUpDeps extends Pick<UserAuthenticationDeps, 'database' | 'limits'> {
  readonly nowSeconds: () => number
  readonly publicUrl: string
  readonly sessions: AccountSessions
}

interface Refusal {
  readonly status: number
  readonly alert: string
  readonly username: string
}

const MAX_NAME_LENGTH = 64

/** Routes of `/account/sign-up`. */
export function signUpRoutes(deps: SignUpDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/account/sign-up')
    .get((req, res) => {
      const carried = readCarriedRequest(deps.database, req, res, oneValue(req.query.request))
      if (carried.ok) showSignUp(req, res, carried.request, null)
    })
    .post(ownPostsOnly(deps.publicUrl), formBody, (req, res) => signUp(deps, req, res))
    .all(onlyMethods('GET, HEAD, POST', showWrongMethod))
  return router
}

function showSignUp(req: Request, res: Response, request: AuthorizationRequest | null, refusal: Refusal | null): void {
  const words = wordsOf(req, request?.lang)
  const locals = { ...carriedLocals(request), username: refusal?.username ?? '', alert: refusal?.alert ?? null }
  showPage(res, 'sign-up', words, locals, { status: refusal?.status ?? 200 })
}

async function signUp(deps: SignUpDeps, req: Request, res: Response): Promise<void> {
  const fields = formFields(req, res)
  if (fields === null) return
  const carried = readCarriedRequest(deps.database, req, res, fields.request)
  if (!carried.ok) return
  const { request } = carried
  const username = (fields.username ?? '').normalize('NFC')
  const words = wordsOf(req, request?.lang)
  const created = await createUser(deps, words, {
    username,
    password: fields.password ?? '',
    language: request?.lang != null && isLocale(request.lang) ? request.lang : words.language,
    address: req.socket.remoteAddress ?? '',
  })
  if (created.ok) {
    deps.sessions.signIn(req, res, created.userId)
    return redirect(res, nextPath(request))
  }
  res.locals.explanation = `No account created: ${created.reason}`
  if (created.retryAfterSeconds !== undefined) res.set('Retry-After', String(created.retryAfterSeconds))
  showSignUp(req, res, request, { status: created.status, alert: created.alert, username })
}

type Creation =
  | { ok: true; userId: number }
  | { ok: false; status: number; alert: string; reason: string; retryAfterSeconds?: number }

/** A sign-up reveals which names exist. The limit slows down callers who try many names. */
async function createUser(
  { database, limits, nowSeconds }: SignUpDeps,
  words: Words,
  wanted: { username: string; password: string; language: string; address: string },
): Promise<Creation> {
  const { username, password, language, address } = wanted
  const length = [...username].length
  if (length < 1 || length > MAX_NAME_LENGTH || username.trim() !== username || /[\p{C}\p{Zl}\p{Zp}]/u.test(username)) {
    return { ok: false, status: 400, alert: words.usernameFault, reason: 'the name cannot be used' }
  }
  const fault = await faultInNewPassword(password, username)
  if (fault !== null) {
    return { ok: false, status: 400, alert: words.passwordFaults[fault], reason: `the password is ${fault}` }
  }
  const admission = await limits.admit('sign-up', username, address)
  if (!admission.ok) {
    const { retryAfterSeconds } = admission
    const alert = words.say('tooManyFailures', { seconds: retryAfterSeconds })
    return { ok: false, status: 429, alert, reason: 'too many attempts', retryAfterSeconds }
  }
  const passwordHash = await hashPassword(password)
  const { changes, lastInsertRowid } = database
    .prepare('INSERT OR IGNORE INTO users (username, password_hash, language, created_at_seconds) VALUES (?, ?, ?, ?)')
    .run(username, passwordHash, language, nowSeconds())
  if (changes === 1) return { ok: true, userId: Number(lastInsertRowid) }
  return { ok: false, status: 409, alert: words.usernameTaken, reason: 'the name is taken' }
}
