import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openIdentityProvider } from '../../../../src/features/sso/provider/identity-provider.ts'
import { entryPointAt } from '../../../login/entry-point.ts'
import { makeCertificate } from '../../../servers/certificate.ts'
import { freePort } from '../../../servers/free-port.ts'
import { withSso } from '../entry-point.ts'
import { CLIENT, startProvider } from '../start-provider.ts'
import {
  finishWindow,
  openWindow,
  pressContinue,
  ssoSettings,
  startHeaders,
  startSso,
  until,
  visitProvider,
} from '../start-sso.ts'

test('a provider that is away does not stop the app: 503 in the window, degraded, and it is found later', async () => {
  const port = await freePort()
  const warnings: unknown[] = []
  const log = { info: () => {}, warn: (line: unknown) => void warnings.push(line) }
  const redirectUri = 'http://localhost:1/sso/callback'
  const provider = openIdentityProvider(ssoSettings(`http://127.0.0.1:${port}`), { redirectUri, log, firstRetryMs: 20 })
  onTestFinished(() => provider.close())
  const request = { state: 's', nonce: 'n', codeVerifier: 'v', wantsOtherAccount: false, language: 'en' }
  expect(provider.isAvailable()).toBe(false)
  expect(() => provider.authorizationUrl(request)).toThrow('could not be read')
  await until(() => warnings.length > 0)
  await startProvider({ redirectUri, port, signsIn: 'ada' })
  await until(() => provider.isAvailable())
  expect(provider.authorizationUrl(request)).toMatch(`http://127.0.0.1:${port}/auth?`)
})

/** Opens a provider that has only a discovery document, and returns its warnings. */
async function openDocument(metadata: Readonly<Record<string, unknown>>, hasOthers: boolean) {
  const server = createServer((_req, res) => {
    const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` }
    res.setHeader('Content-Type', 'application/json')
    res.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${issuer}/jwks`, ...metadata }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const warnings: unknown[] = []
  const log = { info: () => {}, warn: (line: unknown) => void warnings.push(line) }
  const redirectUri = 'http://localhost:1/sso/callback'
  const provider = openIdentityProvider(ssoSettings(issuer), { redirectUri, log, hasOthers })
  onTestFinished(() => {
    provider.close()
    server.closeAllConnections()
    server.close()
  })
  await until(() => provider.isAvailable() || warnings.length > 0)
  return { provider, warnings }
}

test.each([
  [{ authorization_response_iss_parameter_supported: false }, true, 1],
  [{}, true, 1],
  [{ authorization_response_iss_parameter_supported: true }, true, 0],
  [{}, false, 0],
])('a provider with %j, with other providers: %s, gives %i warnings', async (metadata, hasOthers, expected) => {
  const { provider, warnings } = await openDocument(metadata, hasOthers)
  expect([provider.isAvailable(), warnings.length]).toEqual([true, expected])
})

test('a provider whose document names another issuer is not used', async () => {
  const { provider, warnings } = await openDocument({ issuer: 'https://login.example' }, false)
  expect([provider.isAvailable(), warnings.length]).toEqual([false, 1])
})

test('a provider with an unknown certificate is not read', async () => {
  const { certificate: cert, key } = await makeCertificate()
  let requests = 0
  const server = createHttpsServer({ cert, key }, (_req, res) => {
    requests += 1
    res.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const warnings: unknown[] = []
  const log = { info: () => {}, warn: (line: unknown) => void warnings.push(line) }
  const { port } = server.address() as AddressInfo
  const redirectUri = 'http://localhost:1/sso/callback'
  const provider = openIdentityProvider(ssoSettings(`https://127.0.0.1:${port}`), { redirectUri, log })
  onTestFinished(() => {
    provider.close()
    server.close()
  })
  await until(() => warnings.length > 0)
  expect([provider.isAvailable(), requests]).toEqual([false, 0])
})

test('a provider that moves its addresses is read again, and its last good document counts', async () => {
  const lines: unknown[] = []
  const log = { info: (line: unknown) => void lines.push(line), warn: (line: unknown) => void lines.push(line) }
  const redirectUri = 'http://localhost:1/sso/callback'
  let path = '/auth'
  const moving = await startProvider({
    redirectUri,
    signsIn: 'ada',
    changeAnswer: (document) => ({ ...document, authorization_endpoint: `${String(document.issuer)}${path}` }),
  })
  const options = { redirectUri, log, firstRetryMs: 10, refreshMs: 10 }
  const provider = openIdentityProvider(ssoSettings(moving.issuer), options)
  onTestFinished(() => provider.close())
  const request = { state: 's', nonce: 'n', codeVerifier: 'v', wantsOtherAccount: false, language: 'en' }
  const isAt = (wanted: string) => new URL(provider.authorizationUrl(request)).pathname === wanted
  await until(() => provider.isAvailable())
  expect(isAt('/auth')).toBe(true)
  path = '/new'
  await until(() => isAt('/new'))
  expect(lines).toHaveLength(1)
  moving.setAway(true)
  await until(() => lines.length > 1)
  expect([provider.isAvailable(), isAt('/new')]).toEqual([true, true])
})

test('a provider with a new signing key needs no restart', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const app = await startSso()
  expect((await finishWindow(app, await openWindow(app))).status).toBe(200)
  await app.provider.changeKey()
  // The keys are asked for at most once a minute, so that forged tokens cause no requests.
  expect((await finishWindow(app, await openWindow(app))).status).toBe(400)
  vi.setSystemTime(Date.now() + 60_000)
  expect((await finishWindow(app, await openWindow(app))).status).toBe(200)
})

test('each answer about a viewer is timed by its result', async () => {
  const registry = new Registry()
  const app = await startSso({
    changeSso(sso) {
      sso.registerMetrics(registry)
      return sso
    },
  })
  const signIn = async () => finishWindow(app, await openWindow(app))
  await signIn()
  app.provider.accounts.set('ada', { preferred_username: '' })
  await signIn()
  const window = await openWindow(app)
  const callback = await visitProvider(window.address)
  app.provider.setAway(true)
  await app.get(callback, { Cookie: window.cookie })
  const counts = [...(await registry.metrics()).matchAll(/duration_seconds_count\{result="([a-z-]+)"\} (\d+)/g)]
  expect(counts.map(([, result, count]) => [result, count])).toEqual([
    ['signed-in', '1'],
    ['refused', '1'],
    ['failed', '1'],
  ])
  const outcomes = app.lines.flatMap(({ outcome }) => outcome ?? [])
  // Equal lines within a minute are summed up.
  expect(outcomes).toEqual(['sso-started', 'sso-signed-in', 'sso-refused', 'sso-failed'])
})

test('while the provider is unknown, the window answers 503 and readiness says degraded', async () => {
  const app = await startSso({ isProviderKnown: false })
  const screen = await app.get('/')
  const flow = /name="flow" value="([^"]*)"/.exec(screen.text)?.[1] ?? ''
  const answer = await app.post('/sso/start', { flow }, startHeaders(app))
  expect([answer.status, answer.setCookies]).toEqual([503, []])
  expect(JSON.parse((await app.get('/health/ready')).text)).toEqual({ status: 'degraded', away: ['OIDC_ISSUER'] })
})

test('a provider that fails at the callback gives 503, and the frame can begin again', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const callback = `/sso/callback?code=x&state=${new URL(window.address).searchParams.get('state')}&iss=${app.provider.issuer}`
  app.provider.setAway(true)
  expect((await app.get(callback, { Cookie: window.cookie })).status).toBe(503)
  app.provider.setAway(false)
  const next = await openWindow(app)
  await finishWindow(app, next)
  expect((await pressContinue(app, next)).status).toBe(303)
})

test.each([
  ['client_secret_basic', CLIENT.secret],
  ['client_secret_basic', 'a+b/c:d %~"'],
  ['client_secret_post', CLIENT.secret],
] as const)('the app authenticates itself by %s with the secret %s', async (method, secret) => {
  const app = await startSso({
    provider: { client: { token_endpoint_auth_method: method, client_secret: secret }, authMethods: [method] },
    settings: { authentication: { kind: 'secret', secret } },
  })
  expect((await finishWindow(app, await openWindow(app))).status).toBe(200)
})

test('entry points with one client and another secret each use their own', async () => {
  const other = { kind: 'secret', secret: 'another' } as const
  const app = await startSso({
    entryPointsWith: (sso) => [
      withSso(sso, entryPointAt('right')),
      withSso({ ...sso, authentication: other }, entryPointAt('wrong')),
    ],
  })
  const statusAt = async (path: string) => (await finishWindow(app, await openWindow(app, path))).status
  expect([await statusAt('/e/right'), await statusAt('/e/wrong'), await statusAt('/e/right')]).toEqual([200, 503, 200])
})

test.each(['RS256', 'PS256', 'ES256'] as const)('the app authenticates itself by a key with %s', async (algorithm) => {
  const { privateKey, publicKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: algorithm, use: 'sig' }] }
  const app = await startSso({
    provider: {
      client: { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: algorithm, jwks },
    },
    settings: { authentication: { kind: 'key', privateKey, certificate: null, algorithm } },
  })
  expect((await finishWindow(app, await openWindow(app))).status).toBe(200)
})

test('while a provider has the old and the new key of the app, both are accepted', async () => {
  const pairs = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }))
  const keys = await Promise.all(
    pairs.map(async ({ publicKey }, index) => ({ ...(await exportJWK(publicKey)), alg: 'ES256', kid: String(index) })),
  )
  const method = { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'ES256' } as const
  for (const { privateKey } of pairs) {
    const app = await startSso({
      provider: { client: { ...method, jwks: { keys } } },
      settings: { authentication: { kind: 'key', privateKey, certificate: null } },
    })
    expect((await finishWindow(app, await openWindow(app))).status).toBe(200)
  }
})

test('a viewer whom the provider refuses is refused in the window', async () => {
  const app = await startSso({ provider: { signsIn: 'nobody' } })
  const answer = await finishWindow(app, await openWindow(app))
  expect([answer.status, /name="reason" content="([^"]*)"/.exec(answer.text)?.[1]]).toEqual([403, 'refused'])
})

test('a viewer whose groups are elsewhere is refused in the window, and the log says groups-overage', async () => {
  const app = await startSso()
  app.provider.accounts.set('ada', { preferred_username: 'ada@example.com', hasgroups: true })
  expect((await finishWindow(app, await openWindow(app))).status).toBe(403)
  expect(app.lines).toContainEqual(
    expect.objectContaining({ outcome: 'sso-refused', reason: 'groups-overage: groups' }),
  )
})
