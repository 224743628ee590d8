import { type ErrorRequestHandler, type Request, type Response, Router } from 'express'
import { onlyMethods } from '../server/only-methods.ts'
import type { PlayerAnswer } from './answer/answer.ts'
import { postCancel, postContinue, postSignOut } from './posts.ts'
import { formBody } from './request/form-body.ts'
import { type PlayerContext, readPlayerContext } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { getSignIn, postSignIn } from './sign-in.ts'

/** Creates the routes of one entry point, below its base path. */
export function entryPointRoutes(deps: EntryPointDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.get('/', getSignIn(deps))
  const { hasPasswordForm } = deps.entryPoint
  if (hasPasswordForm) router.post('/sign-in', formBody, postSignIn(deps))
  router.post('/continue', formBody, postContinue(deps))
  router.post('/cancel', formBody, postCancel(deps))
  router.post('/sign-out', formBody, postSignOut(deps))
  router.all('/', onlyMethods('GET, HEAD', sendWrongMethod(deps)))
  const posts = ['/continue', '/cancel', '/sign-out', ...(hasPasswordForm ? ['/sign-in'] : [])]
  router.all(posts, onlyMethods('POST', sendWrongMethod(deps)))
  router.use(sendFault(deps))
  return router
}

/** Returns the context for the ways back to the player; null if the request contains none that is allowed. */
function contextOf(req: Request, answer: PlayerAnswer | null): PlayerContext | null {
  if (answer === null) return null
  const fields: Record<string, unknown> = (req.method === 'POST' ? req.body : req.query) ?? {}
  const reading = readPlayerContext(fields, answer)
  return reading.ok ? reading.context : null
}

/** Sends the screen of an error, with the ways back to the player. Without an answer, the screen knows no player. */
export function sendFault(deps: Pick<EntryPointDeps, 'refusals'> & Partial<Pick<EntryPointDeps, 'answer'>>) {
  const { refusals, answer = null } = deps
  const handler: ErrorRequestHandler = (error, req, res, next) =>
    res.headersSent ? next(error) : refusals.failed(req, res, error, contextOf(req, answer))
  return handler
}

/** Sends the screen of a 405, for `onlyMethods()`. */
export function sendWrongMethod({ screens }: Pick<EntryPointDeps, 'screens'>) {
  return (req: Request, res: Response) =>
    screens.sendMessage(req, res, { title: 'badRequest', refusal: { status: 405, text: 'methodNotAllowed' } })
}
