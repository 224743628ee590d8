import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TEST_PEOPLE } from '../../../../src/tools/emulator/sso/people.ts'
import { type RunningProvider, startProvider } from '../../../../src/tools/emulator/sso/start-provider.ts'
import { openVisitor, type Visitor } from '../../../features/sso/visitor.ts'

const REDIRECT_URI = 'http://localhost:3000/sso/callback'

const INSECURE = { [oauth.allowInsecureRequests]: true }

type RelyingParty = Awaited<ReturnType<typeof relyingParty>>

/** Returns a client by a certified library, which checks every answer of the provider. */
async function relyingParty({ issuer }: RunningProvider, clientId: string, authentication: oauth.ClientAuth) {
  const found = await oauth.discoveryRequest(new URL(issuer), INSECURE)
  const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
  const client: oauth.Client = { client_id: clientId }
  const verifier = oauth.generateRandomCodeVerifier()
  const state = 'the-state'
  const nonce = 'the-nonce'

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

const LOGGED_OUT_URI = 'http://localhost:3000/signed-out'
const logoutTokens: string[] = []
const client = createServer(async (req, res) => {
  logoutTokens.push(new URLSearchParams(await text(req)).get('logout_token') ?? '')
  res.end()
})
let provider: RunningProvider
let app: RelyingParty
let keyApp: RelyingParty

beforeAll(async () => {
  const key = await generateKeyPair('ES256')
  client.listen(0, '127.0.0.1')
  await once(client, 'listening')
  const { port } = client.address() as AddressInfo
  provider = await startProvider({
    port: 0,
    clients: [
      {
        clientId: 'login-app',
        secret: 'a secret of the login app',
        redirectUris: [REDIRECT_URI],
        postLogoutRedirectUris: [LOGGED_OUT_URI],
        backchannelLogoutUri: `http://127.0.0.1:${port}/sso/logout`,
      },
      { clientId: 'key-app', publicKey: await exportJWK(key.publicKey), redirectUris: [REDIRECT_URI] },
    ],
  })
  app = await relyingParty(provider, 'login-app', oauth.ClientSecretBasic('a secret of the login app'))
  keyApp = await relyingParty(provider, 'key-app', oauth.PrivateKeyJwt(key.privateKey))
})

afterEach(() => provider.faults.clear())

afterAll(async () => {
  await provider.close()
  client.close()
})

describe('sign-in', () => {
  test('discovery offers what the login app needs', async () => {
    const found = await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json()
    expect(found).toMatchObject({
      issuer: provider.issuer,
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
      scopes_supported: expect.arrayContaining(['openid', 'profile', 'email']),
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      end_session_endpoint: `${provider.issuer}/session/end`,
    })
  })

  test('the ID token names a person with email address, groups and roles', async () => {
    expect(await app.signIn('ada@lakeside.example')).toMatchObject({
      iss: provider.issuer,
      aud: 'login-app',
      sub: expect.stringMatching(/^[\w-]{22}$/),
      sid: expect.any(String),
      preferred_username: 'ada@lakeside.example',
      name: 'Ada Lovelace',
      email: 'ada@lakeside.example',
      email_verified: true,
      groups: ['staff', 'engineering'],
      roles: ['viewer'],
    })
  })

  test('a person in no group has no claim of groups', async () => {
    const claims = await app.signIn('noor@lakeside.example')
    expect(Object.keys(claims)).not.toContain('groups')
    expect(Object.keys(claims)).not.toContain('_claim_names')
  })

  test('a person in too many groups has a reference to them, as at Entra ID', async () => {
    const claims = await app.signIn('omar@lakeside.example')
    expect(claims).toMatchObject({
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: expect.any(String) } },
    })
    expect(claims.groups).toBeUndefined()
  })

  test('Vera has an email address that is not verified', async () => {
    expect(await app.signIn('vera@lakeside.example')).toMatchObject({
      email: 'vera@lakeside.example',
      email_verified: false,
    })
  })

  test('a client without a secret signs its requests with its key', async () => {
    expect(await keyApp.signIn('grace@lakeside.example')).toMatchObject({
      aud: 'key-app',
      groups: ['staff', 'producers'],
    })
  })

  test('the sign-in page names all people, and an unknown person gets 400', async () => {
    const visitor = openVisitor()
    const { url, response } = await visitor.follow(await app.authorizationUrl())
    const page = await response.text()
    for (const { username } of TEST_PEOPLE) expect(page).toContain(username)
    expect((await visitor.request(url, { person: 'eve@lakeside.example' })).status).toBe(400)
    expect((await openVisitor().request(url)).status).toBe(400)
  })

  test('a cancelled sign-in returns to the client with access_denied and iss', async () => {
    const visitor = openVisitor()
    const { url } = await visitor.follow(await app.authorizationUrl())
    const { searchParams } = (await visitor.follow(url, { person: '' })).url
    expect(Object.fromEntries(searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'the-state',
      iss: provider.issuer,
    })
  })
})

describe('prompt', () => {
  test('a person who is signed in passes, except with prompt login or select_account', async () => {
    const visitor = openVisitor()
    const silent = await visitor.follow(await app.authorizationUrl({ prompt: 'none' }))
    expect(silent.url.searchParams.get('error')).toBe('login_required')
    await app.signIn('ada@lakeside.example', visitor)
    for (const extra of [{}, { prompt: 'none' }]) {
      const { url } = await visitor.follow(await app.authorizationUrl(extra))
      expect(await app.claimsFor(url)).toMatchObject({ name: 'Ada Lovelace' })
    }
    for (const prompt of ['login', 'select_account']) {
      const page = await visitor.follow(await app.authorizationUrl({ prompt }))
      expect([page.response.status, page.url.pathname]).toEqual([200, expect.stringContaining('/interaction/')])
      const { url } = await visitor.follow(page.url, { person: 'ada@lakeside.example' })
      expect(await app.claimsFor(url)).toMatchObject({ name: 'Ada Lovelace' })
    }
  })
})

describe('sign-out', () => {
  test('the end of a session sends a logout token with its sid, and returns to the client', async () => {
    const visitor = openVisitor()
    const { id_token, sid, sub } = await app.signIn('ada@lakeside.example', visitor)
    logoutTokens.length = 0
    const end = new URL(`${provider.issuer}/session/end`)
    end.search = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: LOGGED_OUT_URI }).toString()
    const page = await visitor.follow(end)
    const [action, fields] = formIn(await page.response.text())
    expect((await visitor.follow(action, { ...fields, logout: 'yes' })).url.href).toBe(LOGGED_OUT_URI)
    const keys = createRemoteJWKSet(new URL(`${provider.issuer}/jwks`))
    const options = { issuer: provider.issuer, audience: 'login-app', typ: 'logout+jwt' }
    const { payload } = await jwtVerify(logoutTokens[0] ?? '', keys, options)
    expect(payload).toMatchObject({ sub, sid, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })
    expect(payload).not.toHaveProperty('nonce')
    const again = await visitor.follow(await app.authorizationUrl({ prompt: 'none' }))
    expect(again.url.searchParams.get('error')).toBe('login_required')
  })
})

describe('headers', () => {
  test('no frame may hold a page, and the pages cut their opener', async () => {
    const { response } = await openVisitor().follow(await app.authorizationUrl())
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('the opener policy of the provider can be weaker or missing', async () => {
    const headers = []
    for (const coop of ['same-origin-allow-popups', 'none'] as const) {
      const other = await startProvider({ port: 0, clients: [], coop })
      const answer = await fetch(`${other.issuer}/pages.css`)
      headers.push(answer.headers.get('cross-origin-opener-policy'))
      await answer.body?.cancel()
      await other.close()
    }
    expect(headers).toEqual(['same-origin-allow-popups', null])
  })

  test('the provider listens on loopback, and answers only to loopback names', async () => {
    expect(new URL(provider.issuer).hostname).toMatch(/^127\.0\.0\.[12]$/)
    const sent = request(`${provider.issuer}/pages.css`, { headers: { Host: 'evil.example' } })
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(421)
  })
})

describe('faults', () => {
  const path = (end: string) => `/company${end}`

  test('the provider is away while a fault lasts', async () => {
    provider.faults.add({ path: path('/*'), status: 503, count: 1 })
    const statuses = []
    for (let request = 0; request < 2; request += 1) {
      statuses.push((await fetch(`${provider.issuer}/.well-known/openid-configuration`)).status)
    }
    expect(statuses).toEqual([503, 200])
  })

  test('a fault gives the answer a wrong iss, or none', async () => {
    for (const iss of ['http://127.0.0.1:1/other', null]) {
      provider.faults.add({ path: path('/auth/*'), change: { iss }, count: 1 })
      await expect(app.signIn('ada@lakeside.example')).rejects.toMatchObject({ code: 'OAUTH_INVALID_RESPONSE' })
    }
  })

  test.each([{ nonce: 'another' }, { iss: 'http://127.0.0.1:1/other' }, { aud: 'key-app' }, { exp: 1 }])(
    'the client refuses a well signed ID token with %o',
    async (change) => {
      provider.faults.add({ path: path('/token'), change, count: 1 })
      await expect(app.signIn('ada@lakeside.example')).rejects.toBeInstanceOf(oauth.OperationProcessingError)
      expect(await app.signIn('ada@lakeside.example')).toMatchObject({ name: 'Ada Lovelace' })
    },
  )

  test('a changed ID token keeps a valid signature', async () => {
    provider.faults.add({ path: path('/token'), change: { email_verified: 'true', groups: null }, count: 1 })
    const claims = await app.signIn('ada@lakeside.example')
    expect(claims).toMatchObject({ email_verified: 'true' })
    expect(claims).not.toHaveProperty('groups')
  })
})

/** Returns where the first form of a page leads, and its fields. */
function formIn(page: string): [action: string, fields: Record<string, string>] {
  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? ''
  return [action, Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))]
}
