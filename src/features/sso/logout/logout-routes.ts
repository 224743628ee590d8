import { type ErrorRequestHandler, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { isOutage } from '../../../errors.ts'
import type { LogSignIn } from '../../../login/log/sign-in-log.ts'
import { formBody } from '../../../login/request/form-body.ts'
import { describeError } from '../../../login/screens/error-page.ts'
import type { Headers } from '../../../login/screens/headers.ts'
import { onlyMethods } from '../../../server/only-methods.ts'
import { digestOf } from '../../../services/window/random-text.ts'
import type { SessionStore } from '../../../sessions/session-store.ts'
import { LOGOUT_TOKEN } from '../flow-kinds.ts'
import type { Sso } from '../open-sso.ts'
import { rememberLogout } from './logged-out.ts'

export interface LogoutDeps {
  readonly sso: Sso
  readonly sessionStore: Pick<SessionStore, 'endIdentitySessions'>
  readonly nowSeconds: () => number
  /** For requests that belong to no entry point. */
  readonly logSignIn: LogSignIn
  readonly headers: Headers
}

const PATH = '/sso/logout'
const Form = z.object({ logout_token: z.string().min(1) })

/** Creates the address to which the providers send their logout tokens (OpenID Connect Back-Channel Logout 1.0). */
export function logoutRoutes(deps: LogoutDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const setHeaders: RequestHandler = (_req, res, next) => {
    res.set(deps.headers)
    next()
  }
  const wrongMethod = onlyMethods('POST', (_req, res, description) => void sendError(res, description))
  router.use(PATH, setHeaders)
  router.post(PATH, formBody, postLogout(deps))
  router.all(PATH, wrongMethod)
  router.use(PATH, onError(deps))
  return router
}

/**
 * Ends the sessions that a logout token names. Needs no origin: without a valid token it has no effect. Needs no limit: a
 * forged token costs less than a screen, and a limit for each network could hold back the provider's own tokens.
 */
function postLogout({ sso, sessionStore, nowSeconds, logSignIn }: LogoutDeps): RequestHandler {
  const { flows } = sso
  return async function logOut(req, res) {
    const refuse = (reason: string) => {
      logSignIn(req, { outcome: 'sso-logout-refused', status: 400, reason })
      sendError(res.status(400), `The logout token is refused: ${reason}`)
    }
    const form = Form.safeParse(req.body)
    if (!form.success) return refuse('no-token')
    const check = await sso.checkLogoutToken(form.data.logout_token, nowSeconds())
    if (!check.ok) return refuse(check.reason)
    const { logout, tokenId } = check
    const tokenKey = digestOf(JSON.stringify([logout.issuer, tokenId]))
    try {
      if (await flows.has(LOGOUT_TOKEN, tokenKey)) return refuse('replayed')
      // First: a sign-in whose session begins from here on sees the logout, and an earlier session is ended below.
      await rememberLogout(flows, logout, nowSeconds())
    } catch (error) {
      // Many providers do not try again, so the sessions end in any case.
      await sessionStore.endIdentitySessions(logout)
      throw error
    }
    const ended = await sessionStore.endIdentitySessions(logout)
    // Last: after a failure, the provider may send the same token again.
    await flows.put(LOGOUT_TOKEN, tokenKey, { atSeconds: nowSeconds() })
    const { issuer, subject } = logout
    logSignIn(req, { outcome: 'sso-logged-out', issuer, ...(subject !== null && { subject }), ended })
    res.status(200).end()
  }
}

/** Answers 500 or 503 for a fault of the app, so that the provider may try again. */
function onError({ logSignIn }: LogoutDeps): ErrorRequestHandler {
  return (error, req, res, next) => {
    if (res.headersSent) return next(error)
    const { status, retryAfterSeconds, text: reason } = describeError(error)
    if (status < 500) logSignIn(req, { outcome: 'sso-logout-refused', status, reason })
    else logSignIn(req, { outcome: isOutage(error) ? 'sso-failed' : 'failed', status, error })
    if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
    sendError(res.status(status), status < 500 ? 'The form cannot be read' : 'Try again later')
  }
}

function sendError(res: Response, description: string): void {
  res.json({
    error: res.statusCode < 500 ? 'invalid_request' : 'temporarily_unavailable',
    error_description: description,
  })
}
