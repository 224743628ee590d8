import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import { formBody } from '../../login/request/form-body.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { sendWrongMethod } from '../../login/routes.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import { postStatus, postWindowContinue, type WindowMethod } from './continue.ts'

/**
 * Creates the routes of one way to sign in by a window: its own, and those by which the frame collects the result. Two
 * ways at one entry point share the addresses for the result. Each handles its own forms.
 */
export function windowRoutes(deps: EntryPointDeps, window: WindowMethod, own: RequestHandler): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use(own)
  router.post('/sso/continue', formBody, postWindowContinue(deps, window))
  router.post('/sso/status', formBody, postStatus(deps, window))
  const wrongMethod = onlyMethods('POST', sendWrongMethod(deps))
  router.all(['/sso/continue', '/sso/status'], (req, res, next) =>
    req.method === 'POST' ? next() : wrongMethod(req, res, next),
  )
  const onError: ErrorRequestHandler = (error, req, res, next) => {
    if (res.headersSent) return next(error)
    deps.refusals.failed(req, res, error, null)
  }
  router.use(onError)
  return router
}
