import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, onTestFinished, test, vi } from 'vitest'
import { OverloadedError, UpstreamError } from '../../../../src/errors.ts'
import { openIdentityProvider } from '../../../../src/features/sso/provider/identity-provider.ts'
import { CLIENT } from '../start-provider.ts'
import { ssoSettings, until } from '../start-sso.ts'

type Claims = Readonly<Record<string, unknown>>
type Answer = Readonly<Record<string, unknown>>
interface Forgery {
  readonly token: (claims: Claims) => Promise<string> | string
  readonly tokenAnswer?: Answer
  readonly userInfo?: Answer
  readonly userInfoToken?: (claims: Claims) => Promise<string>
  readonly jwks?: () => object
}

const KEYS = generateKeyPair('RS256', { extractable: true })
const OTHER_KEYS = generateKeyPair('RS256', { extractable: true })
const SECRETS = { state: 's', nonce: 'the nonce', codeVerifier: 'v'.repeat(43) }
const NOW_SECONDS = Math.floor(Date.now() / 1000)

const signed = async (claims: Claims, keys = KEYS, header: Claims = {}) =>
  await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k', ...header }).sign((await keys).privateKey)
const genuineBut = (changes: Claims): Forgery => ({ token: (claims) => signed({ ...claims, ...changes }) })

async function jwkOf(keys: typeof KEYS) {
  return { ...(await exportJWK((await keys).publicKey)), alg: 'RS256', kid: 'k' }
}

/** Opens a provider that answers with a forgery, and says that it supports every algorithm. */
async function openForger({ token, tokenAnswer, userInfo, userInfoToken, jwks }: Forgery, options = {}) {
  const server = createServer(async (req, res) => {
    const body = await answer(req.url ?? '')
    const isText = typeof body === 'string'
    res.setHeader('Content-Type', isText ? 'application/jwt' : 'application/json')
    res.end(isText ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  async function answer(path: string): Promise<unknown> {
    if (path === '/jwks') return jwks?.() ?? { keys: [await jwkOf(KEYS)] }
    if (path === '/others') return { keys: [await jwkOf(OTHER_KEYS)] }
    const claims = {
      iss: issuer,
      sub: 'ada',
      aud: CLIENT.clientId,
      nonce: SECRETS.nonce,
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 600,
      preferred_username: 'ada@example.com',
      ...(userInfo === undefined && { groups: [] }),
    }
    if (path === '/me') return (await userInfoToken?.(claims)) ?? userInfo
    if (path === '/token') {
      return { access_token: 'a', token_type: 'bearer', id_token: await token(claims), ...tokenAnswer }
    }
    return {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/me`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      userinfo_signing_alg_values_supported: ['RS256'],
    }
  }
  const log = { info: () => {}, warn: () => {} }
  const redirectUri = 'http://localhost:1/sso/callback'
  const provider = openIdentityProvider(ssoSettings(issuer), { redirectUri, log, firstRetryMs: 20, ...options })
  function stop() {
    provider.close()
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(stop)
  await until(() => provider.isAvailable())
  return { signIn: () => provider.signIn(new URL(`${redirectUri}?code=c&state=s`), SECRETS), stop }
}

async function signInWith(forgery: Forgery) {
  const { signIn } = await openForger(forgery)
  return await signIn()
}

test('a genuine ID token passes', async () => {
  expect(await signInWith({ token: (claims) => signed(claims) })).toMatchObject({ ok: true })
  expect(await signInWith({ token: (claims) => signed(claims), userInfo: { sub: 'ada' } })).toMatchObject({ ok: true })
})

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test.each<[string, Forgery]>([
  ['that another key signed', { token: (claims) => signed(claims, OTHER_KEYS) }],
  [
    'signed with the key in its own header',
    { token: async (claims) => signed(claims, OTHER_KEYS, { jwk: await jwkOf(OTHER_KEYS) }) },
  ],
  [
    'signed with a key at the address in its own header',
    { token: (claims) => signed(claims, OTHER_KEYS, { jku: `${claims.iss}/others`, x5u: `${claims.iss}/others` }) },
  ],
  ['without a signature', { token: (claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.` }],
  [
    'signed with the client secret',
    {
      token: (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(CLIENT.secret)),
    },
  ],
  ['of another issuer', genuineBut({ iss: 'https://evil.example' })],
  ['for another client', genuineBut({ aud: 'another' })],
  ['for several clients, from another', genuineBut({ aud: [CLIENT.clientId, 'another'], azp: 'another' })],
  ['with another nonce', genuineBut({ nonce: 'another' })],
  ['without a nonce', genuineBut({ nonce: undefined })],
  ['that has expired', genuineBut({ exp: NOW_SECONDS - 15 })],
  ['without an expiry', genuineBut({ exp: undefined })],
  ['without a time of issue', genuineBut({ iat: undefined })],
  ['that is not valid yet', genuineBut({ nbf: NOW_SECONDS + 600 })],
  ['without an audience', genuineBut({ aud: undefined })],
  ['without a subject', genuineBut({ sub: undefined })],
])('an ID token %s is refused', async (_case, forgery) => {
  expect(await signInWith(forgery).catch((error: unknown) => error)).toMatchObject({
    ok: false,
    reason: 'invalid-response',
  })
})

test('the log says that an encrypted ID token is refused', async () => {
  const header = encoded({ alg: 'RSA-OAEP', enc: 'A256GCM' })
  const detail = 'the ID token is encrypted: turn this off at the provider'
  expect(await signInWith({ token: () => `${header}.a.b.c.d` })).toEqual({
    ok: false,
    reason: 'invalid-response',
    detail,
  })
})

test.each([
  ['in place of the old one', 1],
  ['beside the old one', 2],
])('a signing key without an id counts after a rotation, %s', async (_case, kept) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const [old, next] = await Promise.all(
    [KEYS, OTHER_KEYS].map(async (keys) => ({ ...(await jwkOf(keys)), kid: undefined })),
  )
  let published = [old]
  let signer = KEYS
  let readings = 0
  const { signIn } = await openForger({
    token: (claims) => signed(claims, signer, { kid: undefined }),
    jwks() {
      readings += 1
      return { keys: published }
    },
  })
  const isSignedIn = async () => (await signIn()).ok
  expect([await isSignedIn(), await isSignedIn(), readings]).toEqual([true, true, 1])
  signer = OTHER_KEYS
  published = [next, old].slice(0, kept)
  // Forged logout tokens cause no more requests than one in thirty seconds.
  expect([await isSignedIn(), readings]).toEqual([false, 1])
  vi.setSystemTime(Date.now() + 31_000)
  expect([await isSignedIn(), await isSignedIn(), readings]).toEqual([true, true, 2])
  signer = generateKeyPair('RS256')
  vi.setSystemTime(Date.now() + 31_000)
  expect([await isSignedIn(), readings]).toEqual([false, 3])
})

test.each([
  ['of the provider', KEYS, ['gold']],
  ['of another', OTHER_KEYS, []],
])('user info that is signed with the key %s gives the groups %j', async (_case, keys, groups) => {
  const userInfoToken = (claims: Claims) => signed({ ...claims, groups: ['gold'] }, keys)
  const forgery = { token: (claims: Claims) => signed(claims), userInfo: {}, userInfoToken }
  const { signIn } = await openForger(forgery, { allowedGroups: ['gold'] })
  expect(await signIn()).toMatchObject({ ok: true, identity: { viewer: { groups } } })
})

test('user info of another subject is refused', async () => {
  const forgery = { token: (claims: Claims) => signed(claims), userInfo: { sub: 'bob', groups: ['gold'] } }
  const { signIn } = await openForger(forgery, { allowedGroups: ['gold'] })
  expect(await signIn()).toMatchObject({ ok: false, reason: 'invalid-response' })
})

test('an answer that is too long for a provider is not read', async () => {
  const padding = { padding: 'x'.repeat(2_000_000) }
  const forgery = { token: (claims: Claims) => signed(claims), tokenAnswer: padding }
  await expect(signInWith(forgery)).rejects.toThrow(UpstreamError)
})

test('an answer without an ID token is refused', async () => {
  const forgery = { token: () => '', tokenAnswer: { id_token: undefined } }
  expect(await signInWith(forgery)).toMatchObject({ ok: false, reason: 'invalid-response' })
})

test('a provider that does not end its answer is an error of the provider', async () => {
  const { signIn } = await openForger({ token: () => new Promise(() => {}) }, { timeoutSeconds: 0.2 })
  await expect(signIn()).rejects.toThrow(UpstreamError)
})

test('fifty viewers ask the provider at a time, 200 wait, and more are refused at once', async () => {
  let asked = 0
  const token = () => {
    asked += 1
    return new Promise<string>(() => {})
  }
  const { signIn, stop } = await openForger({ token })
  const waiting = Promise.allSettled(Array.from({ length: 250 }, signIn))
  await expect(signIn()).rejects.toThrow(OverloadedError)
  await until(() => asked >= 50)
  expect(asked).toBe(50)
  stop()
  await waiting
})
