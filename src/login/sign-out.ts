import type { RequestHandler } from 'express'
import { UpstreamError } from '../errors.ts'
import { nothingCarried, readCarried } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { addressOf, sendRedirect } from './screens/screens.ts'

/** Ends the session and shows the sign-in screen again. A post without a form is taken as one without fields. */
export function postSignOut({
  entryPoint,
  screens,
  sessions,
  refusals,
  headersFor,
  logSignIn,
}: Pick<
  EntryPointDeps,
  'entryPoint' | 'screens' | 'sessions' | 'refusals' | 'headersFor' | 'logSignIn'
>): RequestHandler {
  return async function postSignOutForm(req, res) {
    const fields: Record<string, unknown> | undefined = req.body
    const reading = readCarried(fields ?? nothingCarried(entryPoint).fields, entryPoint)
    if (!reading.ok) return refusals.badCarried(req, res, reading)
    const { carried } = reading
    if (refusals.isForeign(req)) {
      return screens.sendSignIn(req, res, { carried, refusal: { status: 403, text: 'notFromOwnPage' } })
    }
    try {
      await sessions.end(req, res)
    } catch (cause) {
      throw new UpstreamError('session-store', 'A viewer signed out, but the session could not be ended', { cause })
    }
    logSignIn(req, { outcome: 'signed-out' })
    sendRedirect(res, headersFor(carried.address.origin), addressOf(entryPoint.basePath, carried.fields))
  }
}
