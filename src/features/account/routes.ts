import { type ErrorRequestHandler, type Request, type Response, Router } from 'express'
import { formBody } from '../../login/request/form-body.ts'
import { describeError } from '../../login/screens/error-page.ts'
import type { Headers } from '../../login/screens/headers.ts'
import { sendRedirect } from '../../login/screens/send.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import { postChangePassword } from './change-password.ts'
import { postForgotPassword } from './forgot-password.ts'
import { ACCOUNT_PATHS } from './links/addresses.ts'
import { getNewPassword, postNewPassword } from './new-password.ts'
import type { AccountPage } from './pages.ts'
import type { AccountDeps } from './route-deps.ts'

/**
 * Creates the pages of one entry point, below its base path. Without a mail server, viewers only use invitations that
 * the operator passed on.
 */
export function accountRoutes(deps: AccountDeps): Router {
  const { forgot, newPassword, change } = ACCOUNT_PATHS
  const show = (page: AccountPage) => (req: Request, res: Response) => deps.pages.send(req, res, page)
  const router = Router({ strict: true, caseSensitive: true })
  router.get(newPassword, getNewPassword(deps)).post(newPassword, formBody, postNewPassword(deps))
  if (deps.mailQueue !== null) {
    router.get(forgot, show({ view: 'forgot' })).post(forgot, formBody, postForgotPassword(deps))
    router.get(change, show({ view: 'change-password' })).post(change, formBody, postChangePassword(deps))
  }
  const paths = deps.mailQueue === null ? [newPassword] : [newPassword, forgot, change]
  router.all(
    paths,
    onlyMethods('GET, HEAD, POST', (req, res) =>
      deps.pages.send(req, res, REFUSED, { status: 405, text: 'methodNotAllowed' }),
    ),
  )
  const onError: ErrorRequestHandler = (error, req, res, next) => {
    if (res.headersSent) return next(error)
    const refusal = describeError(error)
    const { status, text: reason } = refusal
    if (status >= 500) deps.logAccount(req)({ outcome: 'failed', status, error })
    else deps.logAccount(req)({ outcome: 'refused-request', status, reason })
    deps.pages.send(req, res, REFUSED, status >= 500 ? { ...refusal, text: 'account.unavailable' } : refusal)
  }
  router.use(onError)
  return router
}

/** Creates the address at which password managers look for the page that changes a password. */
export function wellKnownRoute(headers: Headers, basePath: string): Router {
  const path = basePath + ACCOUNT_PATHS.change
  return Router().get('/.well-known/change-password', (_req, res) => sendRedirect(res, headers, path))
}

const REFUSED = { view: 'message', message: 'refused' } as const
