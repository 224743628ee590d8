import { type Request, type RequestHandler, Router } from 'express'
import { readPost } from '../../login/posts.ts'
import { formBody } from '../../login/request/form-body.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { sendWrongMethod } from '../../login/routes.ts'
import { isNavigation, returnToPlayer } from '../../login/send-to-player.ts'
import { onlyMethods } from '../../server/only-methods.ts'

const PATH = '/watch-here'

/**
 * Creates the route of the button "Watch here" at one entry point.
 * @param chosen gets the requests of viewers who may take a place from another screen.
 */
export function watchHereRoutes(deps: EntryPointDeps, chosen: WeakSet<Request>): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.post(PATH, formBody, postWatchHere(deps, chosen))
  router.all(PATH, onlyMethods('POST', sendWrongMethod(deps)))
  return router
}

function postWatchHere(deps: EntryPointDeps, chosen: WeakSet<Request>): RequestHandler {
  const { screens, sessions } = deps
  return async function postWatchHereForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const returning = await sessions.returningViewer(req, res)
    if (returning === null || !isNavigation(req)) return screens.sendSignIn(req, res, { context })
    chosen.add(req)
    await returnToPlayer(deps, req, res, { ...returning, context })
  }
}
