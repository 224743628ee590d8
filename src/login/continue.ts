import type { RequestHandler } from 'express'
import { hasBody } from './request/form-body.ts'
import { emptyContext, readPlayerContext } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { isNavigation, returnToPlayer, type SendDeps } from './send-to-player.ts'

/**
 * Sends a signed-in viewer to the player who chose to continue. A post, so that no address can make that choice: the
 * player always comes back to the question.
 */
export function postContinue(deps: SendDeps & Pick<EntryPointDeps, 'screens' | 'sessions'>): RequestHandler {
  const { entryPoint, screens, sessions, refusals } = deps
  return async function postContinueForm(req, res) {
    if (hasBody(req) && refusals.notAForm(req, res)) return
    const reading = readPlayerContext(req.body ?? emptyContext(entryPoint).fields, entryPoint)
    if (!reading.ok) return refusals.badContext(req, res, reading)
    const { context } = reading
    if (refusals.isForeign(req)) {
      return screens.sendSignIn(req, res, { context, refusal: { status: 403, text: 'notFromOwnPage' } })
    }
    const returning = await sessions.returningViewer(req, res)
    if (returning === null) return screens.sendSignIn(req, res, { context })
    if (!isNavigation(req)) {
      return screens.sendSignIn(req, res, { context, signedInAs: returning.viewer.username })
    }
    await returnToPlayer(deps, req, res, { ...returning, context })
  }
}
