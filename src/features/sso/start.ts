import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { chosenLanguage, type Language, languageOf } from '../../languages/languages.ts'
import { isFromOwnForm, originOf } from '../../services/window/own-form.ts'
import { digestOf, randomText } from '../../services/window/random-text.ts'
import { networkOf } from '../../sign-in-limits/keys.ts'
import { STATE } from './flow-kinds.ts'
import type { SsoRouteDeps } from './route-deps.ts'

const Form = z.object({
  /** Empty if the viewer wants a code to type. */
  flow: z.string().regex(/^([A-Za-z0-9_-]{43})?$/),
  account: z.literal('other').optional(),
})

interface NewSignIn {
  /** Null if the viewer wants a code to type. */
  readonly flow: string | null
  readonly network: string
  /** Null if the viewer chose none. */
  readonly language: Language | null
  readonly wantsOtherAccount: boolean
  /** Why the sign-in begins a second time, for the log. */
  readonly reason?: string
}

/** Begins a sign-in in the window, and sends the window on to the provider. */
export function postStart(deps: SsoRouteDeps): RequestHandler {
  const { sso, settings, windows, publicUrl, addressOf, logSignIn } = deps
  return async function startSignIn(req, res) {
    if (!isFromOwnForm(req.headers, publicUrl.origin)) {
      logSignIn(req, { outcome: 'not-from-own-page', reason: originOf(req.headers) })
      return windows.refuse(req, res, { status: 403, text: 'window.notFromOwnPage' })
    }
    const form = Form.safeParse(req.body)
    if (!form.success || (form.data.flow === '' && !settings.hasCode)) {
      logSignIn(req, { outcome: 'refused-request', status: 400, reason: 'flow is missing or has another form' })
      return windows.refuse(req, res, { status: 400, text: 'window.notFromOwnPage' })
    }
    const network = networkOf(addressOf(req))
    const retryAfterSeconds = await sso.startLimits.count(network)
    if (retryAfterSeconds !== null) {
      logSignIn(req, { outcome: 'held-back', limit: 'sso-starts' })
      return windows.refuse(req, res, { status: 429, text: 'window.tooMany', retryAfterSeconds })
    }
    const { flow, account } = form.data
    try {
      const wantsOtherAccount = account === 'other'
      await beginSignIn(deps, req, res, {
        flow: flow || null,
        network,
        language: chosenLanguage(req),
        wantsOtherAccount,
      })
    } catch (error) {
      await sso.startLimits.giveBack(network)
      throw error
    }
  }
}

/**
 * Keeps the secrets of a sign-in, and sends the window on to the provider. The caller counts the sign-in.
 * @throws UpstreamError if the provider or the store is away. @throws OverloadedError as the store does.
 */
export async function beginSignIn(deps: SsoRouteDeps, req: Request, res: Response, begun: NewSignIn): Promise<void> {
  const { sso, provider, windows, cookies, entryPoint, nowSeconds, logSignIn } = deps
  const { flow, network, language: chosen, wantsOtherAccount, reason } = begun
  const state = randomText()
  const nonce = randomText()
  const codeVerifier = randomText()
  const browserKey = randomText()
  const language = chosen ?? languageOf(req, entryPoint.brand.defaultLanguage)
  const address = provider.authorizationUrl({ state, nonce, codeVerifier, wantsOtherAccount, language })
  await sso.flows.put(STATE, digestOf(state), {
    entryPoint: entryPoint.name,
    flow,
    nonce,
    codeVerifier,
    browserKeyDigest: digestOf(browserKey),
    network,
    language: chosen,
    wantsOtherAccount,
    startedAtSeconds: nowSeconds(),
  })
  cookies.set(req, res, digestOf(state), browserKey)
  logSignIn(req, { outcome: 'sso-started', ...(reason !== undefined && { reason }) })
  windows.sendOpening(req, res, address, language)
}
