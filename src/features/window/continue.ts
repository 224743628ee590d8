import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import type { PlayerContext } from '../../login/request/player-context.ts'
import { readPost } from '../../login/request/read-post.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { describeError } from '../../login/screens/error-page.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { flowOf } from '../../login/screens/window-parts.ts'
import { assertCanAnswer } from '../../login/send-to-player.ts'
import type { FlowRecords, FlowStore } from './flows/flow-store.ts'
import { windowFaultEvent } from './window-fault.ts'

const Form = z.object({
  wait: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** The screen with the button "I have logged in". Absent for the screen of single sign-on. */
  way: z.literal('passkey').optional(),
})

/** A result of the window, which the frame collects. */
export interface Collected {
  readonly context: PlayerContext
  readonly result: FlowRecords['result']
  /** The secret of the frame, for a screen that begins again. */
  readonly wait: string
}

export interface ContinueDeps extends EntryPointDeps {
  readonly flows: FlowStore
  /** Sends the viewer to the player, or shows the refusal. Returns false if it does not know results of this kind. */
  readonly sendResult: (req: Request, res: Response, collected: Collected) => Promise<boolean>
}

/**
 * Collects the result of the window in the frame, and sends the viewer to the player, as after a password. Shows the reason
 * if the window refused.
 */
export function postWindowContinue(deps: ContinueDeps): RequestHandler {
  const { flows, entryPoint, screens, logSignIn, sendResult } = deps

  return async function collectResult(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const form = Form.safeParse(req.body)
    // A screen without the secret begins anew.
    if (!form.success) return screens.sendSignIn(req, res, { context, refusal: { status: 400, text: 'ssoNotYet' } })
    const { wait, way: account } = form.data
    const show = (refusal: Refusal) =>
      screens.sendSignIn(req, res, { context, refusal, wait, ...(account && { account }) })
    try {
      assertCanAnswer(deps.answerKeys)
      const result = await flows.take('result', flowOf(wait))
      const isOurs = result !== null && result.entryPoint === entryPoint.name
      if (isOurs && (await sendResult(req, res, { context, result, wait }))) return
      logSignIn(req, { outcome: 'sso-not-yet' })
      show({ status: 409, text: 'ssoNotYet' })
    } catch (error) {
      const refusal = describeError(error)
      logSignIn(req, { ...windowFaultEvent(error), status: refusal.status })
      show(refusal)
    }
  }
}

/** Tells the script of the screen if the sign-in in the window has ended. Leaves the result there. */
export function postStatus({ flows, refusals, headersFor }: ContinueDeps): RequestHandler {
  return async function tellStatus(req, res) {
    res.set(headersFor(null))
    if (refusals.isForeign(req)) return void res.status(403).json({ status: 'refused' })
    const form = Form.safeParse(req.body)
    if (!form.success) return void res.status(400).json({ status: 'refused' })
    try {
      const isReady = await flows.has('result', flowOf(form.data.wait))
      res.json({ status: isReady ? 'ready' : 'waiting' })
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      // No line: the link to Redis logs its outage, and thousands of frames ask every two seconds.
      res.status(503).set('Retry-After', '5').json({ status: 'unavailable' })
    }
  }
}
