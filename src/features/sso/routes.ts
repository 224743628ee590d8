import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import type { LogSignIn } from '../../login/log/sign-in-log.ts'
import { formBody } from '../../login/request/form-body.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import { type CallbackDeps, failWindow, getCallback } from './callback.ts'
import { postCode } from './code.ts'
import { CALLBACK_PATH } from './open-sso.ts'
import type { SsoRouteDeps } from './route-deps.ts'
import { postStart } from './start.ts'
import type { WindowPages } from './window-pages.ts'

/** Creates the routes of one entry point, below its base path. */
export function ssoRoutes(deps: SsoRouteDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.post('/sso/start', formBody, postStart(deps))
  if (deps.settings.hasCode) {
    router.get('/sso', (req, res) => deps.windows.sendCodeStart(req, res))
    router.post('/sso/code', formBody, postCode(deps))
    router.all('/sso', onlyMethods('GET, HEAD', wrongMethod(deps)))
    router.all('/sso/code', onlyMethods('POST', wrongMethod(deps)))
  }
  router.all('/sso/start', onlyMethods('POST', wrongMethod(deps)))
  router.use(onError(deps))
  return router
}

/** Creates the callback, which all entry points share. */
export function callbackRoutes(deps: CallbackDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  // A HEAD request would use up the sign-in.
  const refuseMethod = onlyMethods('GET', wrongMethod(deps))
  const onlyGet: RequestHandler = (req, res, next) => (req.method === 'GET' ? next() : refuseMethod(req, res, next))
  router.all(CALLBACK_PATH, onlyGet, getCallback(deps))
  router.use(onError(deps))
  return router
}

interface WindowDeps {
  readonly windows: WindowPages
  readonly logSignIn: LogSignIn
}

function wrongMethod({ windows }: WindowDeps) {
  return (req: Request, res: Response) => windows.refuse(req, res, { status: 405, text: 'window.notFromOwnPage' })
}

function onError(deps: WindowDeps): ErrorRequestHandler {
  return (error, req, res, next) => {
    if (res.headersSent) return next(error)
    failWindow(deps, req, res, error)
  }
}
