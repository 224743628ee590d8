import { type ErrorRequestHandler, Router } from 'express'
import { formBody } from '../../login/request/form-body.ts'
import { describeError } from '../../login/screens/error-page.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import { windowFaultEvent } from '../../services/window/window-fault.ts'
import { NOT_FROM_OWN_PAGE, type PasskeyRouteDeps } from './route-deps.ts'
import { postCreate } from './steps/create.ts'
import { postPassword } from './steps/password.ts'
import { postRemove } from './steps/remove.ts'
import { postSignIn } from './steps/sign-in.ts'
import { postStart } from './steps/start.ts'
import { PASSKEY_PATHS } from './window-pages.ts'

/** Creates the routes of the window of one entry point, below its base path. */
export function passkeyRoutes(deps: PasskeyRouteDeps): Router {
  const { start, finish, password, create, remove } = PASSKEY_PATHS
  const router = Router({ strict: true, caseSensitive: true })
  router.post(start, formBody, postStart(deps))
  router.post(finish, formBody, postSignIn(deps))
  router.post(password, formBody, postPassword(deps))
  router.post(create, formBody, postCreate(deps))
  router.post(remove, formBody, postRemove(deps))
  router.all(
    Object.values(PASSKEY_PATHS),
    onlyMethods('POST', (req, res) => deps.pages.refuse(req, res, { ...NOT_FROM_OWN_PAGE, status: 405 })),
  )
  const onError: ErrorRequestHandler = (error, req, res, next) => {
    if (res.headersSent) return next(error)
    const refusal = describeError(error)
    const { status, text: reason } = refusal
    if (status >= 500) deps.logSignIn(req, { ...windowFaultEvent(error, 'passkey'), status })
    else deps.logSignIn(req, { outcome: 'refused-request', status, reason })
    deps.pages.refuse(req, res, status >= 500 ? { ...refusal, text: 'passkeys.unavailable' } : refusal)
  }
  router.use(onError)
  return router
}
