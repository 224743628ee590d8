import type { RequestHandler } from 'express'
import { returnWithoutResponse } from './pass-to-player.ts'
import { hasBody } from './request/form-body.ts'
import { emptyContext, readPlayerContext } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { sendRedirect } from './screens/screens.ts'

/** Redirects a viewer who cancels to the player with `hash=false`. A post without a body counts as an empty form. */
export function postCancel({
  entryPoint,
  screens,
  refusals,
  headersFor,
  logSignIn,
}: Pick<EntryPointDeps, 'entryPoint' | 'screens' | 'refusals' | 'headersFor' | 'logSignIn'>): RequestHandler {
  return (req, res) => {
    if (hasBody(req) && refusals.notAForm(req, res)) return
    const reading = readPlayerContext(req.body ?? emptyContext(entryPoint).fields, entryPoint)
    if (!reading.ok) return refusals.badContext(req, res, reading)
    const { context } = reading
    if (refusals.isForeign(req)) {
      return screens.sendSignIn(req, res, { context, refusal: { status: 403, text: 'notFromOwnPage' } })
    }
    logSignIn(req, { outcome: 'cancelled' })
    sendRedirect(res, headersFor(context.address.origin), returnWithoutResponse(context.address))
  }
}
