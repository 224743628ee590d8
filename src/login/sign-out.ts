import type { RequestHandler } from 'express'
import { UpstreamError } from '../errors.ts'
import { emptyContext, readPlayerContext } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { pathOf, sendRedirect } from './screens/screens.ts'

/** Ends the session and shows the sign-in screen. A post without a body counts as an empty form. */
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
    const reading = readPlayerContext(fields ?? emptyContext(entryPoint).fields, entryPoint)
    if (!reading.ok) return refusals.badContext(req, res, reading)
    const { context } = reading
    if (refusals.isForeign(req)) {
      return screens.sendSignIn(req, res, { context, refusal: { status: 403, text: 'notFromOwnPage' } })
    }
    let viewer: string | undefined
    try {
      viewer = await sessions.end(req, res)
    } catch (cause) {
      throw new UpstreamError('session-store', 'A viewer signed out, but the session store could not end the session', {
        cause,
      })
    }
    logSignIn(req, { outcome: 'signed-out', viewer })
    sendRedirect(res, headersFor(context.address.origin), pathOf(entryPoint.basePath, context.fields))
  }
}
