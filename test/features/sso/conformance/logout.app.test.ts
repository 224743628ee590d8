import { expect, test } from 'vitest'
import { CLIENT } from '../start-provider.ts'
import { cookiesOf, type SsoApp } from '../start-sso.ts'
import { type Claims, EC_JWK, RSA_JWK, type Signing, signedToken } from './signed-token.ts'
import { startModule, trySignIn } from './start-module.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Starts the app, and signs a viewer in whose session at the provider is "s1". */
async function startSignedIn() {
  // The provider has a key for another algorithm than the one that it lists.
  const { app } = await startModule({ idToken: { sid: 's1' }, jwks: [RSA_JWK, EC_JWK] })
  const { answer } = await trySignIn(app)
  expect(answer.status).toBe(303)
  const isSignedIn = async () => (await app.get('/', { Cookie: cookiesOf(answer) })).status === 303
  return { app, isSignedIn }
}

/** Returns the claims of a right logout token for the viewer, with changes. Undefined removes a claim. */
function logoutClaims({ provider }: SsoApp, changes: Claims = {}): Claims {
  const iat = Math.floor(Date.now() / 1000)
  const whom = { iss: provider.issuer, aud: CLIENT.clientId, sub: 'ada', sid: 's1' }
  const times = { iat, exp: iat + 120, jti: crypto.randomUUID() }
  return { ...whom, ...times, events: { [EVENT]: {} }, ignored_claim: 'unknown', ...changes }
}

const send = (app: SsoApp, claims: Claims, signing?: Signing) =>
  app.post('/sso/logout', { logout_token: signedToken(claims, signing) })

test('oidcc-client-test-rp-backchannel-rpinitlogout: the session ends', async () => {
  const { app, isSignedIn } = await startSignedIn()
  expect(await isSignedIn()).toBe(true)
  const answer = await send(app, logoutClaims(app))
  expect([answer.status, answer.headers['cache-control'], await isSignedIn()]).toEqual([200, 'no-store', false])
})

test.each<[module: string, reason: string, changes: Claims, signing?: Signing]>([
  ['oidcc-client-test-rp-backchannel-rpinitlogout-alg-none', 'header-alg', {}, { alg: 'none' }],
  ['oidcc-client-test-rp-backchannel-rpinitlogout-no-event', 'claim-events', { events: undefined }],
  ['oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce', 'claim-nonce', { nonce: 'a nonce' }],
  ['oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg', 'header-alg', {}, { alg: 'ES256' }],
  ['oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud', 'claim-aud', { aud: `${CLIENT.clientId}INVALID` }],
  [
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event',
    'claim-events',
    { events: { 'http://schemas.openid.net/event/foobar': {} } },
  ],
  ['oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss', 'claim-iss', { iss: 'http://127.0.0.1:1' }],
])('%s: the logout token is refused (%s), and the session goes on', async (_module, reason, changes, signing) => {
  const { app, isSignedIn } = await startSignedIn()
  const answer = await send(app, logoutClaims(app, changes), signing)
  expect([answer.status, answer.headers['cache-control']]).toEqual([400, 'no-store'])
  expect(answer.text).toContain(reason)
  expect(await isSignedIn()).toBe(true)
})

test('a logout token for another session of the same viewer leaves this session', async () => {
  const { app, isSignedIn } = await startSignedIn()
  expect([(await send(app, logoutClaims(app, { sid: 's2' }))).status, await isSignedIn()]).toEqual([200, true])
})
