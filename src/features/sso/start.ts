import type { RequestHandler } from 'express'
import { z } from 'zod'
import { chosenLanguage, languageOf } from '../../languages/languages.ts'
import { networkOf } from '../../sign-in-limits/keys.ts'
import { isFromOwnForm, originOf } from '../window/own-form.ts'
import { digestOf, randomText } from '../window/random-text.ts'
import type { SsoRouteDeps } from './route-deps.ts'

const Form = z.object({
  /** Empty if the viewer wants a code to type. */
  flow: z.string().regex(/^([A-Za-z0-9_-]{43})?$/),
  account: z.literal('other').optional(),
})

/** Begins a sign-in in the window, and sends the window on to the provider. */
export function postStart(deps: SsoRouteDeps): RequestHandler {
  const { sso, settings, provider, windows, cookies, publicUrl, entryPoint, addressOf, nowSeconds, logSignIn } = deps
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
    const [state, nonce, codeVerifier, browserKey] = [randomText(), randomText(), randomText(), randomText()]
    try {
      const language = languageOf(req, entryPoint.brand.defaultLanguage)
      const wantsOtherAccount = form.data.account === 'other'
      const address = provider.authorizationUrl({ state, nonce, codeVerifier, wantsOtherAccount, language })
      await sso.flows.put('state', digestOf(state), {
        entryPoint: entryPoint.name,
        flow: form.data.flow || null,
        nonce,
        codeVerifier,
        browserKeyDigest: digestOf(browserKey),
        network,
        language: chosenLanguage(req),
        startedAtSeconds: nowSeconds(),
      })
      cookies.set(req, res, digestOf(state), browserKey)
      logSignIn(req, { outcome: 'sso-started' })
      windows.sendOpening(req, res, address)
    } catch (error) {
      await sso.startLimits.giveBack(network)
      throw error
    }
  }
}
