import { type RequestHandler, Router } from 'express'
import { formBody } from '../../login/request/form-body.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { sendFault, sendWrongMethod } from '../../login/routes.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import { postStatus, postWindowContinue, type WindowMethod } from './continue.ts'

/** The ways to sign in by a window at each entry point. */
const methodsAt = new WeakMap<EntryPointDeps, WindowMethod[]>()

/**
 * Creates the routes of one way to sign in by a window: its own, and those by which the frame collects the result. The
 * ways of an entry point share the addresses for the result: those of the first way handle the results of all.
 */
export function windowRoutes(deps: EntryPointDeps, window: WindowMethod, own: RequestHandler): Router {
  const methods = methodsAt.get(deps) ?? []
  methodsAt.set(deps, methods)
  methods.push(window)
  const router = Router({ strict: true, caseSensitive: true })
  router.use(own)
  if (methods.length === 1) {
    router.post('/sso/continue', formBody, postWindowContinue(deps, window, methods))
    router.post('/sso/status', formBody, postStatus(deps, window, methods))
    router.all(['/sso/continue', '/sso/status'], onlyMethods('POST', sendWrongMethod(deps)))
  }
  router.use(sendFault({ refusals: deps.refusals }))
  return router
}
