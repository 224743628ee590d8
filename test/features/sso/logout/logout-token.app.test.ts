import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { Configuration } from 'openid-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../../../src/errors.ts'
import { openIdentityProvider } from '../../../../src/features/sso/provider/identity-provider.ts'
import { checkLogoutToken, logoutIssuerOf } from '../../../../src/features/sso/provider/logout-token.ts'
import type { SsoSettings } from '../../../../src/features/sso/settings/sso-settings.ts'
import { CLIENT } from '../start-provider.ts'
import { ssoSettings, until } from '../start-sso.ts'
import { EVENT, publicKeyOf, startIssuer, type TestIssuer } from './logout-issuer.ts'

const log = { info: () => {}, warn: () => {} }
const OTHER_KEYS = generateKeyPair('RS256')
const EC_KEYS = generateKeyPair('ES256')
const nowSeconds = () => Date.now() / 1000
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function opened(settings: SsoSettings) {
  const provider = openIdentityProvider(settings, { redirectUri: 'http://localhost:1/sso/callback', log })
  onTestFinished(() => provider.close())
  await until(() => provider.isAvailable())
  return provider.logoutIssuer() ?? expect.unreachable('it is available')
}

/** Starts a provider, and returns how a token of it is judged. */
async function start() {
  const issuer = await startIssuer()
  const known = await opened(ssoSettings(issuer.origin))
  const check = (token: string) => checkLogoutToken(token, [known], nowSeconds())
  return { issuer, check }
}

test.each([
  ['a session and its viewer', {}, { subject: 'ada', providerSession: 's1' }],
  ['a viewer', { sid: undefined }, { subject: 'ada', providerSession: null }],
  ['a session', { sub: undefined }, { subject: null, providerSession: 's1' }],
  ['a session, without an expiry', { exp: undefined, sub: undefined }, { subject: null, providerSession: 's1' }],
])('a genuine logout token for %s is accepted', async (_what, changes, logout) => {
  const { issuer, check } = await start()
  const claims = issuer.claims(changes)
  const found = { ok: true, logout: { issuer: issuer.origin, ...logout }, tokenId: claims.jti }
  expect(await check(await issuer.sign(claims))).toEqual(found)
})

test.each(['logout+jwt', 'JWT', 'application/logout+jwt', undefined])(
  'a logout token of the type %s is accepted',
  async (typ) => {
    const { issuer, check } = await start()
    expect(await check(await issuer.sign(issuer.claims(), { typ }))).toMatchObject({ ok: true })
  },
)

const signed = (changes: object, header?: object) => (issuer: TestIssuer) =>
  issuer.sign(issuer.claims({ ...changes }), { ...header })
const signedBy = (key: CryptoKey | Uint8Array, claims: JWTPayload, alg: string, header = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg, kid: 'k', typ: 'logout+jwt', ...header }).sign(key)
const now = Math.floor(nowSeconds())

test.each<[string, string, (issuer: TestIssuer) => string | Promise<string>]>([
  ['of another issuer', 'claim-iss', signed({ iss: 'https://evil.example' })],
  ['without an issuer', 'claim-iss', signed({ iss: undefined })],
  ['for another client', 'claim-aud', signed({ aud: 'another' })],
  ['for several clients', 'claim-aud', signed({ aud: [CLIENT.clientId, 'another'] })],
  ['without an audience', 'claim-aud', signed({ aud: undefined })],
  ['without a signature', 'header-alg', ({ claims }) => `${encoded({ alg: 'none' })}.${encoded(claims())}.`],
  [
    'signed with the public key as a shared secret',
    'header-alg',
    async ({ claims }) => signedBy(await publicKeyOf(), claims(), 'HS256'),
  ],
  [
    'signed with an algorithm that the provider does not list',
    'header-alg',
    async ({ claims }) => signedBy((await EC_KEYS).privateKey, claims(), 'ES256'),
  ],
  [
    'that another key signed',
    'wrong-signature',
    async ({ claims }) => signedBy((await OTHER_KEYS).privateKey, claims(), 'RS256'),
  ],
  [
    'signed with the key in its own header',
    'wrong-signature',
    async ({ claims }) => {
      const { privateKey, publicKey } = await OTHER_KEYS
      return signedBy(privateKey, claims(), 'RS256', { jwk: await exportJWK(publicKey) })
    },
  ],
  ['of an unknown key', 'unknown-key', signed({}, { kid: 'other' })],
  ['of the type of an access token', 'header-typ', signed({}, { typ: 'at+jwt' })],
  ['that has expired', 'claim-exp', signed({ iat: now - 200, exp: now - 60 })],
  ['that is older than five minutes', 'claim-iat', signed({ iat: now - 400, exp: now + 400 })],
  ['that is older than five minutes, without an expiry', 'claim-iat', signed({ iat: now - 400, exp: undefined })],
  ['of the future', 'claim-iat', signed({ iat: now + 120, exp: now + 400 })],
  ['without a time', 'claim-iat', signed({ iat: undefined })],
  ['with a nonce, such as an ID token', 'claim-nonce', signed({ nonce: 'n' })],
  ['without events', 'claim-events', signed({ events: undefined })],
  ['with another event', 'claim-events', signed({ events: { 'https://other.example/event': {} } })],
  ['with an event that is not an object', 'claim-events', signed({ events: { [EVENT]: true } })],
  ['without an id', 'claim-jti', signed({ jti: undefined })],
  ['without viewer and session', 'claim-sub', signed({ sub: undefined, sid: undefined })],
  ['with a session that is not a text', 'claim-sid', signed({ sid: 1 })],
  ['that is not a token', 'malformed', () => 'x'],
  ['that is encrypted', 'malformed', () => 'a.b.c.d.e'],
])('a logout token %s is refused: %s', async (_case, reason, forge) => {
  const { issuer, check } = await start()
  expect(await check(await forge(issuer))).toEqual({ ok: false, reason })
})

test('a token of one provider does not pass as a token of another', async () => {
  const one = await startIssuer()
  const other = await startIssuer()
  const providers = [
    await opened(ssoSettings(one.origin)),
    await opened({ ...ssoSettings(other.origin), clientId: 'b' }),
  ]
  const check = async (changes: Record<string, unknown>) =>
    checkLogoutToken(await one.sign(one.claims(changes)), providers, nowSeconds())
  expect(await check({})).toMatchObject({ ok: true })
  expect(await check({ aud: 'b' })).toEqual({ ok: false, reason: 'claim-aud' })
  expect(await check({ iss: other.origin })).toEqual({ ok: false, reason: 'claim-aud' })
})

test('a provider of many organizations ends sessions only of those in OIDC_TENANTS', async () => {
  const issuer = await startIssuer()
  const known = await opened({ ...ssoSettings(issuer.origin), tenants: ['t1'] })
  const entra = { ...known, issuer: 'https://login.example/{tenantid}/v2.0' }
  const check = async (changes: Record<string, unknown>) =>
    checkLogoutToken(await issuer.sign(issuer.claims(changes)), [entra], nowSeconds())
  const ofTenant = (tid: string, named = tid) => check({ tid, iss: `https://login.example/${named}/v2.0` })
  expect(await ofTenant('t1')).toMatchObject({ ok: true, logout: { issuer: 'https://login.example/t1/v2.0' } })
  expect(await ofTenant('t2')).toEqual({ ok: false, reason: 'claim-iss' })
  expect(await ofTenant('t1', 't2')).toEqual({ ok: false, reason: 'claim-iss' })
  expect(await check({ iss: entra.issuer, tid: '{tenantid}' })).toEqual({ ok: false, reason: 'claim-iss' })
})

test.each([{ jwks_uri: 'http://idp.example/jwks' }, { jwks_uri: 'file:///etc/passwd' }, {}])(
  'keys of an https provider are never read from %j',
  (metadata) => {
    const provider = new Configuration({ issuer: 'https://idp.example', ...metadata }, CLIENT.clientId)
    const settings = { clientId: CLIENT.clientId, tenants: null }
    expect(() => logoutIssuerOf(provider, settings, 1)).toThrow(UpstreamError)
  },
)

test('the keys of a provider are read once for many tokens, also for unknown keys', async () => {
  const { issuer, check } = await start()
  const tokens = await Promise.all(['k', 'k', 'x', 'y'].map((kid) => issuer.sign(issuer.claims(), { kid })))
  for (const token of tokens) await check(token)
  expect(issuer.keyReadings()).toBe(1)
})

test('keys that cannot be read are a fault of the provider, and tokens read them again every two seconds', async () => {
  const { issuer, check } = await start()
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const token = await issuer.sign(issuer.claims())
  const isUnknown = async () => await expect(check(token)).rejects.toThrow(UpstreamError)
  issuer.setAway(true)
  for (let tokens = 0; tokens < 3; tokens += 1) await isUnknown()
  expect(issuer.keyReadings()).toBe(1)
  issuer.setAway(false)
  vi.advanceTimersByTime(1_999)
  await isUnknown()
  vi.advanceTimersByTime(1)
  expect(await check(token)).toMatchObject({ ok: true })
  expect(issuer.keyReadings()).toBe(2)
})

test('while a provider could not be read yet, its logout token is not refused but an error', async () => {
  const issuer = await startIssuer()
  const token = await issuer.sign(issuer.claims())
  await expect(checkLogoutToken(token, [null], nowSeconds())).rejects.toThrow(UpstreamError)
})
