import type { RequestHandler } from 'express'
import { readPost } from './read-post.ts'
import type { EntryPointDeps } from './route-deps.ts'
import { sendRedirect } from './screens/send.ts'

/**
 * Redirects a viewer who cancels to the player. If the player has no signal for that, it would send the viewer back at
 * once, so the app shows a screen with a link to the form.
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
