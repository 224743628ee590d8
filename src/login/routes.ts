import { type ErrorRequestHandler, type Request, type Response, Router } from 'express'
import { onlyMethods } from '../server/only-methods.ts'
import { postCancel } from './cancel.ts'
import { formBody } from './request/form-body.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { getSignIn, postSignIn } from './sign-in.ts'
import { postSignOut } from './sign-out.ts'

/** Creates the routes of one entry point, below its base path. */
export function entryPointRoutes(deps: EntryPointDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.get('/', getSignIn(deps))
  router.post('/sign-in', formBody, postSignIn(deps))
  router.post('/cancel', formBody, postCancel(deps))
  router.post('/sign-out', formBody, postSignOut(deps))
  router.all('/', onlyMethods('GET, HEAD', sendWrongMethod(deps)))
  router.all(['/sign-in', '/cancel', '/sign-out'], onlyMethods('POST', sendWrongMethod(deps)))
  const onError: ErrorRequestHandler = (error, req, res, next) => {
    if (res.headersSent) return next(error)
    deps.refusals.failed(req, res, error)
  }
  router.use(onError)
  return router
}

/** Sends the screen of a 405, for `onlyMethods()`. */
export function sendWrongMethod({ screens }: Pick<EntryPointDeps, 'screens'>) {
  return (req: Request, res: Response) =>
    screens.sendMessage(req, res, { title: 'badRequest', refusal: { status: 405, text: 'methodNotAllowed' } })
}
