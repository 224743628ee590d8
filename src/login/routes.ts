import { type ErrorRequestHandler, type Request, type Response, Router } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import { onlyMethods } from '../server/only-methods.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SignInLimits } from '../sign-in-limits/sign-in-limits.ts'
import type { UserStore } from '../users/user-store.ts'
import { postCancel } from './cancel.ts'
import type { LoopBreaker } from './loop-breaker.ts'
import { formBody } from './request/form-body.ts'
import type { Headers } from './screens/headers.ts'
import type { Refusals } from './screens/refusals.ts'
import type { Screens } from './screens/screens.ts'
import { getSignIn, postSignIn } from './sign-in.ts'
import type { LogSignIn } from './sign-in-log.ts'
import { postSignOut } from './sign-out.ts'

/** Everything that one entry point's screens are made of; each screen names the part of it that it uses. */
export interface EntryPointDeps {
  readonly entryPoint: EntryPoint
  readonly users: Pick<UserStore, 'assertRoom' | 'authenticate'>
  readonly sessions: Sessions
  readonly signInLimits: SignInLimits
  readonly loopBreaker: LoopBreaker
  readonly screens: Screens
  readonly refusals: Refusals
  readonly headersFor: (returnOrigin: string | null) => Headers
  readonly addressOf: (req: Request) => string
  readonly logSignIn: LogSignIn
  readonly nowSeconds: () => number
}

/** The screens of one entry point, below its base path. */
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

/** For `onlyMethods()`. */
export function sendWrongMethod({ screens }: Pick<EntryPointDeps, 'screens'>) {
  return (req: Request, res: Response) =>
    screens.sendMessage(req, res, { title: 'notFound', refusal: { status: 405, text: 'methodNotAllowed' } })
}
