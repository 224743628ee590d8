import { type Request, type RequestHandler, Router } from 'express'
import { readPost } from '../../login/posts.ts'
import { isNavigation } from '../../login/request/asker.ts'
import { formBody } from '../../login/request/form-body.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { sendFault, sendWrongMethod } from '../../login/routes.ts'
import { returnToPlayer } from '../../login/send-to-player.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import type { Passes } from '../../services/pass/passes.ts'
import { readmit } from '../../services/pass/readmit.ts'

const PATH = '/watch-here'

interface WatchHere {
  /** Gets the requests of viewers who may take a place from another screen. */
  readonly chosen: WeakSet<Request>
  /** Null if only viewers with a session can choose. */
  readonly passes: Passes | null
}

/** Creates the route of the button "Watch here" at one entry point. */
export function watchHereRoutes(deps: EntryPointDeps, watchHere: WatchHere): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.post(PATH, formBody, postWatchHere(deps, watchHere))
  router.all(PATH, onlyMethods('POST', sendWrongMethod(deps)))
  router.use(sendFault(deps))
  return router
}

function postWatchHere(deps: EntryPointDeps, { chosen, passes }: WatchHere): RequestHandler {
  const { screens, sessions } = deps
  return async function postWatchHereForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    if (!isNavigation(req)) return screens.sendSignIn(req, res, { context })
    chosen.add(req)
    const { pass: sealed }: { pass?: unknown } = req.body ?? {}
    if (passes !== null && sealed !== undefined)
      return await readmit({ ...deps, passes }, req, res, { sealed, context })
    const returning = await sessions.returningViewer(req, res)
    if (returning === null) return screens.sendSignIn(req, res, { context })
    await returnToPlayer(deps, req, res, { ...returning, context })
  }
}
