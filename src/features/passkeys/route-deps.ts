import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import type { LogSteps } from '../../login/log/step-log.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { isFromOwnForm, originOf } from '../../services/window/own-form.ts'
import type { WindowCookies } from '../../services/window/window-cookie.ts'
import type { Passkeys } from './passkeys.ts'
import type { PasskeyPages } from './window-pages.ts'

/** The dependencies of the routes of one entry point with passkeys. */
export interface PasskeyRouteDeps extends EntryPointDeps {
  readonly passkeys: Passkeys
  readonly pages: PasskeyPages
  readonly cookies: WindowCookies
  readonly logAccount: LogSteps
  readonly publicUrl: URL
}

export const NOT_FROM_OWN_PAGE: Refusal = { status: 403, text: 'window.notFromOwnPage' }
const BAD_FORM: Refusal = { ...NOT_FROM_OWN_PAGE, status: 400 }
const Flow = z.object({ flow: z.string().regex(/^[A-Za-z0-9_-]{43}$/) })

export type WindowForm = z.output<typeof Flow> & Readonly<Record<string, unknown>>

/** Runs the handler for a form of our own pages that belongs to a frame. Refuses every other post. */
export function forOwnForm(
  { pages, publicUrl, logSignIn }: Pick<PasskeyRouteDeps, 'pages' | 'publicUrl' | 'logSignIn'>,
  handle: (req: Request, res: Response, form: WindowForm) => Promise<void>,
): RequestHandler {
  return async (req, res) => {
    if (!isFromOwnForm(req.headers, publicUrl.origin)) {
      logSignIn(req, { outcome: 'not-from-own-page', reason: originOf(req.headers) })
      return pages.refuse(req, res, NOT_FROM_OWN_PAGE)
    }
    const form = Flow.safeParse(req.body)
    if (!form.success) {
      logSignIn(req, { outcome: 'refused-request', status: 400, reason: 'flow is missing or has another form' })
      return pages.refuse(req, res, BAD_FORM)
    }
    await handle(req, res, { ...req.body, ...form.data })
  }
}
