import * as oauth from 'oauth4webapi'
import type { RunningProvider } from '../../../../src/tools/emulator/sso/start-provider.ts'
import { openVisitor, type Visitor } from '../../../features/sso/visitor.ts'

export const REDIRECT_URI = 'http://localhost:3000/sso/callback'

const INSECURE = { [oauth.allowInsecureRequests]: true }

export type RelyingParty = Awaited<ReturnType<typeof relyingParty>>

/** Returns a client by a certified library, which checks every answer of the provider. */
export async function relyingParty({ issuer }: RunningProvider, clientId: string, authentication: oauth.ClientAuth) {
  const found = await oauth.discoveryRequest(new URL(issuer), INSECURE)
  const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
  const client: oauth.Client = { client_id: clientId }
  const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), 'the-state', 'the-nonce']

  /** Returns the address that asks the provider to sign a person in. */
  async function authorizationUrl(extra: Record<string, string> = {}): Promise<URL> {
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid profile email',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...extra,
    }).toString()
    return url
  }

  /** Checks the answer, redeems the code and returns the claims of the ID token. */
  async function claimsFor(callback: URL) {
    const params = oauth.validateAuthResponse(server, client, callback, state)
    const args = [server, client, authentication, params, REDIRECT_URI, verifier, INSECURE] as const
    const answer = await oauth.authorizationCodeGrantRequest(...args)
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, answer, INSECURE)
    return { ...oauth.getValidatedIdTokenClaims(tokens), id_token: tokens.id_token } as oauth.IDToken & {
      id_token: string
    }
  }

  return {
    authorizationUrl,
    claimsFor,
    /** Signs in through the pages of the provider, and returns the claims. */
    async signIn(username: string, visitor: Visitor = openVisitor()) {
      const page = await visitor.follow(await authorizationUrl())
      return claimsFor((await visitor.follow(page.url, { person: username })).url)
    },
  }
}
