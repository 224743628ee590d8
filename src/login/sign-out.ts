import type { RequestHandler } from 'express'
import { UpstreamError } from '../errors.ts'
import { readPost } from './request/read-post.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { pathOf, sendRedirect } from './screens/send.ts'

/** Ends the session and shows the sign-in screen. */
export function postSignOut(
  deps: Pick<EntryPointDeps, 'entryPoint' | 'screens' | 'sessions' | 'refusals' | 'headersFor' | 'logSignIn'>,
): RequestHandler {
  const { entryPoint, sessions, headersFor, logSignIn } = deps
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
    // The screen says that the session at the provider goes on.
    const prompt = entryPoint.sso === null ? {} : { prompt: 'signed-out' }
    sendRedirect(res, headersFor(context.address.origin), pathOf(entryPoint.basePath, { ...context.fields, ...prompt }))
  }
}
