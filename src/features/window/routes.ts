import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import { formBody } from '../../login/request/form-body.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { sendWrongMethod } from '../../login/routes.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import { type ContinueDeps, postStatus, postWindowContinue } from './continue.ts'

/** A way to sign in in a window, at one entry point. */
export interface WindowSignIn extends Pick<ContinueDeps, 'flows' | 'sendResult'> {
  /** The routes of the window. */
  readonly routes: RequestHandler
}

/**
 * Creates the routes of one entry point: its windows, and those by which its frame collects the result.
 * @param given the ways of the entry point. All have the same store.
 * @returns null if the entry point has no way.
 */
export function windowRoutes(deps: EntryPointDeps, given: readonly (WindowSignIn | null | undefined)[]): Router | null {
  const ways = given.filter((way) => way !== null && way !== undefined)
  const [first] = ways
  if (first === undefined) return null
  const continueDeps: ContinueDeps = {
    ...deps,
    flows: first.flows,
    async sendResult(req, res, collected) {
      for (const way of ways) if (await way.sendResult(req, res, collected)) return true
      return false
    },
  }
  const router = Router({ strict: true, caseSensitive: true })
  for (const { routes } of ways) router.use(routes)
  router.post('/sso/continue', formBody, postWindowContinue(continueDeps))
  router.post('/sso/status', formBody, postStatus(continueDeps))
  router.all(['/sso/continue', '/sso/status'], onlyMethods('POST', sendWrongMethod(deps)))
  const onError: ErrorRequestHandler = (error, req, res, next) => {
    if (res.headersSent) return next(error)
    deps.refusals.failed(req, res, error, null)
  }
  router.use(onError)
  return router
}
