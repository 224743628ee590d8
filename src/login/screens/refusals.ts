import type { Request, Response } from 'express'
import { isFromOwnPage } from '../../server/same-origin.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { AccessRefused, Explanation } from '../answer/access-decision.ts'
import { faultEvent, type LogSignIn, requestIdOf, type SignInEvent } from '../log/sign-in-log.ts'
import type { ContextReading, PlayerContext } from '../request/player-context.ts'
import { describeError } from './error-page.ts'
import type { Screens } from './screens.ts'

export type Refusals = ReturnType<typeof createRefusals>

/** A viewer who is refused, with the ways back to the player. */
interface Refused {
  readonly viewer: Viewer
  readonly context: PlayerContext
}

/** Refuses requests with a screen, and logs the refusals. */
export function createRefusals(screens: Screens, logSignIn: LogSignIn, ownOrigin: string) {
  return {
    /** True for a post that does not come from our own page. Logs such a post. */
    isForeign(req: Request): boolean {
      if (isFromOwnPage(req.headers, ownOrigin)) return false
      const { origin = 'absent', 'sec-fetch-site': site = 'absent' } = req.headers
      const reason = `Sec-Fetch-Site ${String(site).slice(0, 20)}, Origin ${origin.slice(0, 200)}`
      logSignIn(req, { outcome: 'not-from-own-page', reason })
      return true
    },
    /** Answers 415 if the body of a post is not a form. Returns true if it answered. */
    notAForm(req: Request, res: Response): boolean {
      if (typeof req.body === 'object' && req.body !== null) return false
      logSignIn(req, { outcome: 'refused-request', status: 415, reason: 'the body is not a form' })
      screens.sendMessage(req, res, { title: 'badRequest', refusal: { status: 415, text: 'wrongType' } })
      return true
    },
    /** Answers 400 with a screen without links: an address that is not allowed is never a redirect target. */
    badContext(req: Request, res: Response, { problem, reason }: Extract<ContextReading, { ok: false }>): void {
      const { text, title } = problem
      logSignIn(req, { outcome: 'refused-request', status: 400, reason })
      screens.sendMessage(req, res, { title, refusal: { status: 400, text }, needsPlayer: true })
    },
    accessDenied(req: Request, res: Response, refused: Refused & { decision: AccessRefused; isReturn: boolean }): void {
      const { viewer, context, decision, isReturn } = refused
      const { explanation, ...details } = detailsOf(decision)
      const reason = `groups: ${JSON.stringify(viewer.groups.slice(0, 20)).slice(0, 500)} of ${viewer.groups.length}`
      logSignIn(req, { outcome: decision.reason, viewer: viewer.username, isReturn, reason, ...details })
      screens.sendMessage(req, res, {
        title: 'notAllowed',
        refusal: {
          status: 403,
          text: decision.reason === 'not-entitled' ? 'notEntitled' : 'unusableAttribute',
          values: { username: viewer.username },
        },
        link: { context, text: explanation?.ofAll ? 'tryAgain' : 'otherAccount' },
        ...(explanation && { explanation }),
      })
    },
    looping(req: Request, res: Response, { viewer, context, causes }: Refused & { causes: string }): void {
      logSignIn(req, { outcome: 'looping', viewer: viewer.username, reason: causes })
      screens.sendMessage(req, res, {
        title: 'loop',
        refusal: { status: 409, text: 'loop', values: { username: viewer.username } },
        link: { context, text: 'tryAgain' },
      })
    },
    /** Answers an error of a request without a screen of its own. @param context null for a screen that cannot know it. */
    failed(req: Request, res: Response, error: unknown, context: PlayerContext | null): void {
      const refusal = describeError(error)
      const isOurs = refusal.status >= 500
      const event = faultEvent(error)
      if (isOurs) logSignIn(req, { ...event, status: refusal.status })
      else logSignIn(req, { outcome: 'refused-request', status: refusal.status, reason: refusal.text })
      screens.sendMessage(req, res, {
        title: isOurs ? 'unavailable' : 'badRequest',
        refusal,
        ...(context && { link: { context, text: 'tryAgain' } }),
        // An overload does not have a line for each request.
        ...(isOurs && event.outcome === 'failed' && { reference: requestIdOf(req) }),
      })
    },
  }
}

/** Returns the details for the log, and the explanation for the viewer without a link that no screen may show. */
function detailsOf(decision: AccessRefused): Partial<SignInEvent> & { readonly explanation?: Explanation | undefined } {
  if (decision.reason === 'unusable-attribute') return { attribute: decision.attribute, reason: decision.fault }
  const { code: given, explanation } = decision
  const code = given === undefined || /^[a-z0-9-]{1,40}$/.test(given) ? given : 'invalid-code'
  if (explanation?.link === undefined) return { code, explanation }
  if (/^(https|mailto):$/.test(URL.parse(explanation.link.href)?.protocol ?? '')) return { code, explanation }
  const reason = 'the screen leaves out the link of the access policy, which is neither https: nor mailto:'
  return { code, explanation: { text: explanation.text }, reason }
}
