import { hash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { chosenLanguage, languageOf } from '../languages/languages.ts'
import { networkOf } from '../sign-in-limits/keys.ts'
import type { SsoRouteDeps } from './route-deps.ts'

/** 256 bits. */
const RANDOM_BYTES = 32
const Form = z.object({
  /** Empty if the viewer wants a code to type. */
  flow: z.string().regex(/^([A-Za-z0-9_-]{43})?$/),
  account: z.literal('other').optional(),
})

/**
 * True for the form of our own screen, posted into a window.
 *
 * Asks for the exact `Origin` alone: every browser sends it with a post, and no page can forge it. `Sec-Fetch-Site` is
 * `cross-site` in WebKit for a window without an opener. Unlike at a password form, an absent origin is refused: a link
 * that started a sign-in could join the window of a viewer to the frame of an attacker.
 */
function isFromOwnForm(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const destination = headers['sec-fetch-dest']
  return headers.origin === ownOrigin && (destination === undefined || destination === 'document')
}

/** Begins a sign-in in the window, and sends the window on to the provider. */
export function postStart(deps: SsoRouteDeps): RequestHandler {
  const { sso, settings, provider, windows, cookies, publicUrl, entryPoint, addressOf, logSignIn } = deps
  return async function startSignIn(req, res) {
    if (!isFromOwnForm(req.headers, publicUrl.origin)) {
      const { origin = 'absent', 'sec-fetch-dest': destination = 'absent' } = req.headers
      const reason = `Origin ${origin.slice(0, 200)}, Sec-Fetch-Dest ${String(destination).slice(0, 20)}`
      logSignIn(req, { outcome: 'not-from-own-page', reason })
      return windows.refuse(req, res, { status: 403, text: 'notFromOwnPage' })
    }
    const form = Form.safeParse(req.body)
    if (!form.success || (form.data.flow === '' && !settings.hasCode)) {
      logSignIn(req, { outcome: 'refused-request', status: 400, reason: 'flow is missing or has another form' })
      return windows.refuse(req, res, { status: 400, text: 'notFromOwnPage' })
    }
    const network = networkOf(addressOf(req))
    const retryAfterSeconds = await sso.startLimits.count(network)
    if (retryAfterSeconds !== null) {
      logSignIn(req, { outcome: 'held-back', limit: 'sso-starts' })
      return windows.refuse(req, res, { status: 429, text: 'tooMany', retryAfterSeconds })
    }
    const [state, nonce, codeVerifier, browserKey] = [randomText(), randomText(), randomText(), randomText()]
    try {
      const language = languageOf(req, entryPoint.brand.defaultLanguage)
      const mustAsk = form.data.account === 'other'
      const address = provider.authorizationUrl({ state, nonce, codeVerifier, mustAsk, language })
      await sso.flows.put('state', digestOf(state), {
        entryPoint: entryPoint.name,
        flow: form.data.flow || null,
        nonce,
        codeVerifier,
        browserKeyDigest: digestOf(browserKey),
        network,
        language: chosenLanguage(req),
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

function randomText(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url')
}

/** Digests a random text, so that a reader of the store cannot use its content. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}
