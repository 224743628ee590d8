import type { Request, RequestHandler, Response } from 'express'
import { UpstreamError } from '../errors.ts'
import { isNavigation } from './request/asker.ts'
import { hasBody } from './request/form-body.ts'
import { type PlayerContext, readPlayerContext } from './request/player-context.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { pathOf, sendRedirect } from './screens/send.ts'
import { returnToPlayer, type SendDeps } from './send-to-player.ts'

/** Sends a signed-in viewer who chose to continue to the player. A post, so that no address can make this choice. */
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

/**
 * Redirects a viewer who cancels to the player. A player without a signal for that would send the viewer back at once:
 * the app then shows a screen with a link to the form.
 */
export function postCancel(
  deps: Pick<EntryPointDeps, 'answer' | 'screens' | 'refusals' | 'headersFor' | 'logSignIn'>,
): RequestHandler {
  return (req, res) => {
    const context = readPost(deps, req, res)
    if (context === null) return
    deps.logSignIn(req, { outcome: 'cancelled' })
    const location = deps.answer.cancel(context.address)
    if (location === null) {
      const refusal = { status: 200, text: 'cancelled' } as const
      return deps.screens.sendMessage(req, res, { title: 'cancelled', refusal, link: { context, text: 'signIn' } })
    }
    sendRedirect(res, deps.headersFor(context.address.origin), location)
  }
}

const SIGNED_OUT = 'signed-out'

/** Ends the session and shows the sign-in screen. */
export function postSignOut(
  deps: Pick<
    EntryPointDeps,
    'entryPoint' | 'answer' | 'screens' | 'screenParts' | 'sessions' | 'refusals' | 'headersFor' | 'logSignIn'
  >,
): RequestHandler {
  const { entryPoint, screenParts, sessions, headersFor, logSignIn } = deps
  return async function postSignOutForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const viewer = await sessions.end(req, res).catch((cause: unknown) => {
      const fault = 'A viewer signed out, but the session store could not end the session'
      throw new UpstreamError('session-store', fault, { cause })
    })
    logSignIn(req, { outcome: 'signed-out', viewer })
    // A way to sign in may have a session of its own, which goes on. Its screen says so.
    const hasScreen = screenParts.some(({ prompts }) => prompts.some(({ value }) => value === SIGNED_OUT))
    const prompt = hasScreen ? { prompt: SIGNED_OUT } : {}
    sendRedirect(res, headersFor(context.address.origin), pathOf(entryPoint.basePath, { ...context.fields, ...prompt }))
  }
}

/**
 * Reads a post of our own page that has only the fields of the player. A post without a body counts as an empty form.
 * @returns null if the post is refused, and answered.
 */
export function readPost(
  { answer, screens, refusals }: Pick<EntryPointDeps, 'answer' | 'screens' | 'refusals'>,
  req: Request,
  res: Response,
): PlayerContext | null {
  if (hasBody(req) && refusals.notAForm(req, res)) return null
  const reading = readPlayerContext(req.body ?? {}, answer)
  if (!reading.ok) {
    refusals.badContext(req, res, reading)
    return null
  }
  const { context } = reading
  if (!refusals.isForeign(req)) return context
  screens.sendSignIn(req, res, { context, refusal: { status: 403, text: 'notFromOwnPage' } })
  return null
}
