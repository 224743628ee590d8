import type { RequestHandler } from 'express'
import { returnWithoutResponse } from './pass-to-player.ts'
import { hasBody } from './request/form-body.ts'
import { nothingCarried, readCarried } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { sendRedirect } from './screens/screens.ts'

/**
 * Sends a viewer who gives up back to where they came from, with `hash=false`. A post without a body is a form without
 * fields: who carries nothing has nothing to send.
 */
export function postCancel({
  entryPoint,
  screens,
  refusals,
  headersFor,
  logSignIn,
}: Pick<EntryPointDeps, 'entryPoint' | 'screens' | 'refusals' | 'headersFor' | 'logSignIn'>): RequestHandler {
  return (req, res) => {
    if (hasBody(req) && refusals.notAForm(req, res)) return
    const reading = readCarried(req.body ?? nothingCarried(entryPoint).fields, entryPoint)
    if (!reading.ok) return refusals.badCarried(req, res, reading)
    const { carried } = reading
    if (refusals.isForeign(req)) {
      return screens.sendSignIn(req, res, { carried, refusal: { status: 403, text: 'notFromOwnPage' } })
    }
    logSignIn(req, { outcome: 'cancelled' })
    sendRedirect(res, headersFor(carried.address.origin), returnWithoutResponse(carried.address))
  }
}
