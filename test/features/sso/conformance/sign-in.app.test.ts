import { expect, test } from 'vitest'
import { CLIENT } from '../start-provider.ts'
import { EC_JWK, FOREIGN_KEY, publicJwk, RSA_JWK } from './signed-token.ts'
import { type Behavior, startModule, trySignIn } from './start-module.ts'

const { kid: _kid, alg: _alg, ...RSA_WITHOUT_KID } = RSA_JWK
const ANOTHER_WITHOUT_KID = publicJwk(FOREIGN_KEY, {})
const listing = (...algorithms: string[]) => ({ id_token_signing_alg_values_supported: algorithms })
const withEnd = (name: string) => (genuine: Readonly<Record<string, unknown>>) => ({
  ...genuine,
  [name]: `${genuine[name]}1`,
})

test.each<[module: string, Behavior]>([
  ['oidcc-client-test', {}],
  ['oidcc-client-test-kid-absent-single-jwks', { jwks: [RSA_WITHOUT_KID], signing: { kid: null } }],
  ['oidcc-client-test-idtoken-sig-rs256', { discovery: listing('RS256') }],
  ['oidcc-client-test-aggregated-claims', { idToken: { _claim_names: { address: 'src1' }, _claim_sources: {} } }],
])('%s: the viewer signs in', async (_module, behavior) => {
  const { app, requestsTo } = await startModule(behavior)
  const { status, answer } = await trySignIn(app)
  expect([status, answer.status, requestsTo('/me').length]).toEqual([200, 303, 1])
})

test.each<[module: string, Behavior]>([
  ['oidcc-client-test-invalid-iss', { idToken: withEnd('iss') }],
  ['oidcc-client-test-missing-sub', { idToken: { sub: undefined } }],
  ['oidcc-client-test-invalid-aud', { idToken: withEnd('aud') }],
  ['oidcc-client-test-missing-aud', { idToken: { aud: undefined } }],
  ['oidcc-client-test-missing-iat', { idToken: { iat: undefined } }],
  ['oidcc-client-test-nonce-invalid', { idToken: withEnd('nonce') }],
  ['oidcc-client-test-idtoken-sig-none', { signing: { alg: 'none' }, discovery: listing('none', 'RS256') }],
  ['oidcc-client-test-invalid-sig-rs256', { signing: { isDamaged: true } }],
  [
    'oidcc-client-test-invalid-sig-es256',
    { signing: { alg: 'ES256', isDamaged: true }, jwks: [EC_JWK], discovery: listing('ES256') },
  ],
  ['oidcc-client-test-invalid-sig-hs256', { signing: { alg: 'HS256', isDamaged: true }, discovery: listing('HS256') }],
])('%s: the ID token is refused, and the user info is not asked for', async (_module, behavior) => {
  const { app, requestsTo } = await startModule(behavior)
  const { status, answer, reason } = await trySignIn(app)
  expect([status, reason, answer.location, answer.setCookies]).toEqual([
    400,
    expect.stringMatching(/^invalid-response: /),
    undefined,
    [],
  ])
  expect([requestsTo('/token').length, requestsTo('/me').length]).toEqual([1, 0])
})

test('oidcc-client-test-invalid-sig-es256: the same token with a right signature is accepted', async () => {
  const { app } = await startModule({ signing: { alg: 'ES256' }, jwks: [EC_JWK], discovery: listing('ES256') })
  expect((await trySignIn(app)).answer.status).toBe(303)
})

test('oidcc-client-test-kid-absent-multiple-jwks: the viewer signs in or is refused, but not with a foreign key', async () => {
  const jwks = [ANOTHER_WITHOUT_KID, RSA_WITHOUT_KID]
  const genuine = await trySignIn((await startModule({ jwks, signing: { kid: null } })).app)
  expect([genuine.status, genuine.answer.status === 303]).toEqual([
    genuine.reason === '' ? 200 : 400,
    genuine.reason === '',
  ])
  const forgery = { jwks: [EC_JWK, RSA_WITHOUT_KID], signing: { kid: null, key: FOREIGN_KEY } }
  const forged = await trySignIn((await startModule(forgery)).app)
  expect([forged.status, forged.answer.location]).toEqual([400, undefined])
})

test('oidcc-client-test-userinfo-invalid-sub: user info of another subject is refused', async () => {
  const { app, requestsTo } = await startModule({
    userInfo: { sub: 'adaINVALID', preferred_username: 'ada@example.com' },
  })
  const { status, answer, reason } = await trySignIn(app)
  expect([status, reason.split(':')[0], answer.location]).toEqual([400, 'invalid-response', undefined])
  expect(requestsTo('/me')).toHaveLength(1)
  const right = await startModule({ userInfo: { sub: 'ada', preferred_username: 'ada@example.com' } })
  expect((await trySignIn(right.app)).answer.status).toBe(303)
})

test('oidcc-client-test-scope-userinfo-claims: the request names the scopes, and the user info has the user name', async () => {
  const { app, requestsTo } = await startModule()
  const { answer } = await trySignIn(app)
  expect(app.provider.lastRequest().get('scope')?.split(' ')).toEqual(['openid', 'profile', 'email'])
  expect(new URL(answer.location ?? '').searchParams.get('hash')).toContain('{"user":"ada@example.com"}')
  expect(requestsTo('/me')).toHaveLength(1)
})

test('oidcc-client-test-userinfo-bearer-header: the access token is in the header, and not in the address', async () => {
  const { app, requestsTo } = await startModule()
  await trySignIn(app)
  const [asked] = requestsTo('/me')
  expect([asked?.authorization, asked?.query]).toEqual([expect.stringMatching(/^Bearer \S{20,}$/), ''])
})

test('oidcc-client-test-client-secret-basic: the secret is in the header of the token request', async () => {
  const { app, requestsTo } = await startModule({
    provider: { client: { token_endpoint_auth_method: 'client_secret_basic' }, authMethods: ['client_secret_basic'] },
  })
  expect((await trySignIn(app)).answer.status).toBe(303)
  const credentials = Buffer.from(`${CLIENT.clientId}:${CLIENT.secret}`).toString('base64')
  expect(requestsTo('/token')[0]?.authorization).toBe(`Basic ${credentials}`)
})

test('oidcc-client-test-discovery-jwks-uri-keys: the keys are read at jwks_uri of the discovery document', async () => {
  const { app, requestsTo } = await startModule()
  await trySignIn(app)
  expect([requestsTo('/.well-known/openid-configuration').length, requestsTo('/jwks').length]).toEqual([1, 1])
})
