import type { RequestHandler } from 'express'
import { UpstreamError } from '../errors.ts'
import { readPost } from './read-post.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { pathOf, sendRedirect } from './screens/send.ts'

/** The prompt of the screen after a sign-out. */
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
    let viewer: string | undefined
    try {
      viewer = await sessions.end(req, res)
    } catch (cause) {
      throw new UpstreamError('session-store', 'A viewer signed out, but the session store could not end the session', {
        cause,
      })
    }
    logSignIn(req, { outcome: 'signed-out', viewer })
    // A way to sign in may have a session of its own, which goes on. Its screen says so.
    const hasScreen = screenParts.some(({ prompts }) => prompts.some(({ value }) => value === SIGNED_OUT))
    const prompt = hasScreen ? { prompt: SIGNED_OUT } : {}
    sendRedirect(res, headersFor(context.address.origin), pathOf(entryPoint.basePath, { ...context.fields, ...prompt }))
  }
}
