import type { ServerResponse } from 'node:http'
import type { ProviderOptions } from '../start-provider.ts'
import { finishWindow, openWindow, pressContinue, type SsoApp, startSso } from '../start-sso.ts'
import { type Claims, claimsOf, RSA_JWK, type Signing, signedToken } from './signed-token.ts'

/** What the provider of a test module does differently from a right provider. */
export interface Behavior {
  /** Changes of the claims in the ID token. Undefined removes a claim. A function gets the genuine ones. */
  readonly idToken?: Claims | ((genuine: Claims) => Claims)
  readonly signing?: Signing
  readonly jwks?: readonly Claims[]
  readonly discovery?: Claims
  /** In place of the genuine answer of the user info endpoint. */
  readonly userInfo?: Claims
  readonly provider?: Partial<ProviderOptions>
}

/**
 * Starts the app with a provider that signs its ID tokens itself. They have only the subject, so that a client that
 * accepts one goes on to the user info endpoint, as at the conformance suite.
 */
export async function startModule({ idToken = {}, signing, jwks = [RSA_JWK], ...more }: Behavior = {}) {
  const { discovery, userInfo, provider } = more
  const requests: { readonly path: string; readonly query: string; readonly authorization: string }[] = []
  const app = await startSso({
    provider: {
      isIdTokenFull: false,
      changeAnswer(document, path) {
        if (path !== '/token') return { ...document, id_token_signing_alg_values_supported: ['RS256'], ...discovery }
        const genuine = claimsOf(String(document.id_token))
        const changed = typeof idToken === 'function' ? idToken(genuine) : { ...genuine, ...idToken }
        return { ...document, id_token: signedToken(changed, signing) }
      },
      instead({ url = '', headers }, res) {
        const { pathname: path, search: query } = new URL(url, 'http://unused')
        requests.push({ path, query, authorization: headers.authorization ?? '' })
        if (path === '/jwks') return sendJson(res, { keys: jwks })
        return path === '/me' && userInfo !== undefined && sendJson(res, userInfo)
      },
      ...provider,
    },
  })
  return { app, requestsTo: (path: string) => requests.filter((request) => request.path === path) }
}

function sendJson(res: ServerResponse, body: object): true {
  res.setHeader('Content-Type', 'application/json')
  res.end(JSON.stringify(body))
  return true
}

/** Signs in in the window, and presses the button in the frame. */
export async function trySignIn(app: SsoApp) {
  const window = await openWindow(app)
  const { status } = await finishWindow(app, window)
  const answer = await pressContinue(app, window)
  const refusal = app.lines.find(({ outcome }) => outcome === 'sso-refused')
  return { status, answer, reason: String(refusal?.reason ?? '') }
}
