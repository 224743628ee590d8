import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
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
async function openForger({ token, tokenAnswer, userInfo }: Forgery, options = {}) {
  const server = createServer((req, res) => void answer(req.url ?? '').then((body) => res.end(JSON.stringify(body))))
  server.on('request', (_req, res) => res.setHeader('Content-Type', 'application/json'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  async function answer(path: string): Promise<unknown> {
    if (path === '/jwks') return { keys: [await jwkOf(KEYS)] }
    if (path === '/others') return { keys: [await jwkOf(OTHER_KEYS)] }
    if (path === '/me') return userInfo
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
