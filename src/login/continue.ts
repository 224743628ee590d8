import type { RequestHandler } from 'express'
import { readPost } from './read-post.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { isNavigation, returnToPlayer, type SendDeps } from './send-to-player.ts'

/**
 * Sends a signed-in viewer who chose to continue to the player. A post, so that no address can make this choice for the
 * viewer.
 */
export function postContinue(deps: SendDeps & Pick<EntryPointDeps, 'screens' | 'sessions'>): RequestHandler {
  const { screens, sessions } = deps
  return async function postContinueForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const returning = await sessions.returningViewer(req, res)
    if (returning === null) return screens.sendSignIn(req, res, { context })
    // Another viewer may have signed in since, in another tab.
    const { viewer: chosen }: { viewer?: unknown } = req.body ?? {}
    const { username } = returning.viewer
    const isAnotherViewer = chosen !== undefined && chosen !== username
    if (isAnotherViewer || !isNavigation(req)) return screens.sendSignIn(req, res, { context, signedInAs: username })
    await returnToPlayer(deps, req, res, { ...returning, context })
  }
}
