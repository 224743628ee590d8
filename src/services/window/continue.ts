import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import { readPost } from '../../login/posts.ts'
import type { PlayerContext } from '../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { describeError } from '../../login/screens/error-page.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { type FlowResult, type FlowStore, RESULT } from './flows/flow-store.ts'
import { digestOf, formDigest } from './random-text.ts'
import { windowFaultEvent } from './window-fault.ts'

const Form = z.object({
  /** The secret of the frame. */
  wait: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** The method of the screen with the button "I’ve logged in – continue". Absent for the first method. */
  way: z.string().max(20).optional(),
  /** The text of the page. Without it, as of a stolen secret, the result is collected once. */
  page: z.string().max(40).optional(),
})

/** A result of the window, which the frame collects. */
export interface Collected {
  readonly context: PlayerContext
  readonly result: FlowResult
  /** The secret of the frame, for a screen that begins again. */
  readonly frameSecret: string
}

/** A way to sign in by a window, at one entry point. */
export interface WindowMethod {
  readonly flows: FlowStore
  /** As in the form of the frame, and in the prompt of its screen. */
  readonly method: string
  /** The beginning of the outcomes of its log lines, such as `sso` in `sso-failed`. */
  readonly outcomes: string
  /** Returns why no window can sign in now. Null if one can. Absent for a method without such a fault. */
  readonly faultNow?: () => Refusal | null
  /** Sends the viewer to the player, or shows the refusal. Returns false if it does not know results of this kind. */
  readonly sendResult: (req: Request, res: Response, collected: Collected) => Promise<boolean>
}

/**
 * Collects the result of the window in the frame, and sends the viewer to the player, as after a password. Shows the reason
 * if the window refused, or if no method of the entry point knows the result.
 */
export function postWindowContinue(
  deps: EntryPointDeps,
  first: WindowMethod,
  methods: readonly WindowMethod[],
): RequestHandler {
  const { entryPoint, screens, answer, sessions, logSignIn } = deps

  return async function collectResult(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const form = Form.safeParse(req.body)
    // A screen without the secret begins anew.
    const notYet = { status: 400, text: 'window.ssoNotYet' } as const
    if (!form.success) return screens.sendSignIn(req, res, { context, refusal: notYet, prompt: first.method })
    const { wait: frameSecret, way, page } = form.data
    const own = methods.find(({ method }) => method === (way ?? first.method))
    // The method of a screen that was open before a restart may be off now.
    const { method: prompt, outcomes } = own ?? first
    const show = (refusal: Refusal) => screens.sendSignIn(req, res, { context, refusal, frameSecret, prompt })
    try {
      answer.assertCapacity()
      const result = await first.flows.take(RESULT, digestOf(frameSecret), formDigest(page, context))
      await sessions.nameForm(req, page, frameSecret)
      for (const { sendResult } of methods) {
        if (result?.entryPoint !== entryPoint.name) break
        if (await sendResult(req, res, { context, result, frameSecret })) return
      }
      logSignIn(req, { outcome: `${outcomes}-not-yet` })
      show(own?.faultNow?.() ?? { ...notYet, status: 409 })
    } catch (error) {
      const refusal = describeError(error)
      logSignIn(req, { ...windowFaultEvent(error, outcomes), status: refusal.status })
      show(refusal)
    }
  }
}

/** Tells the script of the screen if the sign-in in the window has ended, or cannot begin. Leaves the result there. */
export function postStatus(
  { refusals, headersFor }: Pick<EntryPointDeps, 'refusals' | 'headersFor'>,
  { flows, method: first }: Pick<WindowMethod, 'flows' | 'method'>,
  methods: readonly Pick<WindowMethod, 'method' | 'faultNow'>[],
): RequestHandler {
  return async function tellStatus(req, res) {
    res.set(headersFor(null))
    if (refusals.isForeign(req)) return void res.status(403).json({ status: 'refused' })
    const form = Form.safeParse(req.body)
    const own = methods.find(({ method }) => method === (form.data?.way ?? first))
    if (!form.success || own === undefined) return void res.status(400).json({ status: 'refused' })
    try {
      const hasFault = (own.faultNow?.() ?? null) !== null
      const isReady = await flows.has(RESULT, digestOf(form.data.wait))
      res.json({ status: isReady || hasFault ? 'ready' : 'waiting' })
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      // No line: the store logs its outage, and thousands of frames ask every two seconds.
      res.status(503).set('Retry-After', '5').json({ status: 'unavailable' })
    }
  }
}
