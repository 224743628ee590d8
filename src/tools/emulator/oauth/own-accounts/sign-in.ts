import { type Request, type Response, Router } from 'express'
import { onlyMethods } from '../../../../server/only-methods.ts'
import { formBody } from '../../http/form.ts'
import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import { carriedLocals, hasJustSignedIn, nextPath, readCarriedRequest } from '../authorize/carried-request.ts'
import { formFields, ownPostsOnly, redirect, showPage, showWrongMethod, wordsOf } from '../page.ts'
import type { Words } from '../words.ts'
import type { AccountSessions } from './account-session.ts'
import { authenticateUser, type UserAuthentication, type UserAuthenticationDeps } from './user-authentication.ts'

interface SignInDeps extends UserAuthenticationDeps {
  readonly publicUrl: string
  readonly sessions: AccountSessions
}

interface Failure {
  readonly username: string
  readonly outcome: UserAuthentication & { readonly ok: false }
}

const STATUS = { 'wrong-credentials': 401, 'too-many-failures': 429 } as const

/** Routes of `/account/sign-in` and `/account/sign-out`. */
export function signInRoutes(deps: SignInDeps): Router {
  const { database, sessions, publicUrl } = deps
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/account/sign-in')
    .get((req, res) => {
      const carried = readCarriedRequest(database, req, res, oneValue(req.query.request))
      if (carried.ok) showSignIn(req, res, carried)
    })
    .post(ownPostsOnly(publicUrl), formBody, (req, res) => signIn(deps, req, res))
    .all(onlyMethods('GET, HEAD, POST', showWrongMethod))
  router
    .route('/account/sign-out')
    .post(ownPostsOnly(publicUrl), formBody, (req, res) => {
      const fields = formFields(req, res)
      if (fields === null) return
      const carried = readCarriedRequest(database, req, res, fields.request)
      if (!carried.ok) return
      sessions.signOut(req)
      redirect(res, carried.request === null ? '/account/sign-in' : `/authorize?${carried.request.query}`)
    })
    .all(onlyMethods('POST', showWrongMethod))
  return router
}

/**
 * Shows the sign-in form.
 * @param failure the failed attempt, if there was one.
 */
export function showSignIn(
  req: Request,
  res: Response,
  { request, failure = null }: { request: AuthorizationRequest | null; failure?: Failure | null },
): void {
  const words = wordsOf(req, request?.lang)
  const locals = { ...carriedLocals(request), username: failure?.username ?? '' }
  if (failure === null) {
    showPage(res, 'sign-in', words, { ...locals, alert: hasJustSignedIn(req) ? words.noCookie : null })
    return
  }
  const { outcome } = failure
  if (outcome.reason !== 'wrong-credentials') res.set('Retry-After', String(outcome.retryAfterSeconds))
  showPage(res, 'sign-in', words, { ...locals, alert: sentence(words, outcome) }, { status: STATUS[outcome.reason] })
}

function sentence(words: Words, outcome: Failure['outcome']): string {
  if (outcome.reason === 'too-many-failures')
    return words.say('tooManyFailures', { seconds: outcome.retryAfterSeconds })
  return words.wrongCredentials
}

async function signIn(deps: SignInDeps, req: Request, res: Response): Promise<void> {
  const fields = formFields(req, res)
  if (fields === null) return
  const carried = readCarriedRequest(deps.database, req, res, fields.request)
  if (!carried.ok) return
  const { username = '', password = '' } = fields
  const outcome = await authenticateUser(deps, username, password, req.socket.remoteAddress ?? '')
  if (outcome.ok) {
    deps.sessions.signIn(req, res, outcome.userId)
    return redirect(res, nextPath(carried.request))
  }
  res.locals.explanation = `Not signed in: ${outcome.reason}`
  showSignIn(req, res, { request: carried.request, failure: { username, outcome } })
}

/** Returns the value of a query parameter; undefined if missing, empty or repeated. */
export function oneValue(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
