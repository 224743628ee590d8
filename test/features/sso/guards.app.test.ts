import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { createStartLimits } from '../../../src/services/window/flows/start-limits.ts'
import { createWindowCookies } from '../../../src/services/window/window-cookie.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { entryPointAt } from '../../login/entry-point.ts'
import { ADA } from '../../login/start-login-app.ts'
import { withSso } from './entry-point.ts'
import {
  cookiesOf,
  fieldOf,
  finishWindow,
  openWindow,
  pressContinue,
  type SsoApp,
  startHeaders,
  startSso,
} from './start-sso.ts'

const start = async (app: SsoApp, headers = {}) =>
  app.post('/sso/start', { flow: fieldOf(await app.get('/'), 'flow') }, { ...startHeaders(app), ...headers })

test('each screen has a secret of its own, and takes none from its address or from another site', async () => {
  const app = await startSso()
  const mine = 'A'.repeat(43)
  const screens = await Promise.all([
    app.get('/'),
    app.get('/'),
    app.get(`/?wait=${mine}&flow=${mine}`),
    app.post('/sso/continue', { wait: mine }, { 'Sec-Fetch-Site': 'cross-site' }),
  ])
  const waits = screens.map((screen) => fieldOf(screen, 'wait'))
  expect(new Set([...waits, mine]).size).toBe(5)
  expect(screens.map((screen) => fieldOf(screen, 'flow'))).toEqual(
    waits.map((wait) => hash('sha256', wait, 'base64url')),
  )
})

test('while the store of open sign-ins is away, single sign-on answers 503 and passwords go on', async () => {
  const away = () => Promise.reject(new UpstreamError('sso-store', 'Redis does not answer'))
  const flows = { put: away, take: away, read: away, has: away, close: () => {} }
  // Equal lines are written too.
  const repeatFilter = { isNew: () => true, end: () => {} }
  const app = await startSso({ changeSso: (sso) => ({ ...sso, flows }), repeatFilter })
  const wait = fieldOf(await app.get('/'), 'wait')
  const own = { 'Sec-Fetch-Site': 'same-origin' }
  const answers = [
    await start(app),
    await app.get('/sso/callback?code=c&state=s', { Cookie: 'sso-x=y' }),
    await app.post('/sso/continue', { wait }, own),
    await app.post('/sso/status', { wait }, own),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  expect(app.lines.map(({ outcome }) => outcome)).toEqual(['sso-failed', 'sso-failed', 'sso-failed'])
  expect(answers.flatMap(({ setCookies }) => setCookies)).toEqual([])
  expect((await app.post('/sign-in', ADA, own)).status).toBe(303)
})

test('a network with too many open sign-ins must wait until one succeeds', async () => {
  const startLimits = createStartLimits(openMemoryCounter, { perNetwork: 1 })
  const app = await startSso({ changeSso: (sso) => ({ ...sso, startLimits }) })
  const window = await openWindow(app)
  const refused = await start(app)
  expect([refused.status, refused.setCookies]).toEqual([429, []])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  await finishWindow(app, window)
  expect((await start(app)).status).toBe(200)
})

test('an answer that a client made up counts, so that it cannot make the app ask the provider without limit', async () => {
  const startLimits = createStartLimits(openMemoryCounter, { perNetwork: 1 })
  const app = await startSso({ changeSso: (sso) => ({ ...sso, startLimits }) })
  const { address, cookie } = await openWindow(app)
  const { searchParams } = new URL(address)
  const query = new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '', iss: app.provider.issuer })
  expect((await app.get(`/sso/callback?${query}`, { Cookie: cookie })).status).toBe(400)
  expect((await start(app)).status).toBe(429)
})

test('a start that fails does not count as an open sign-in', async () => {
  const startLimits = createStartLimits(openMemoryCounter, { perNetwork: 1 })
  const app = await startSso({ isProviderKnown: false, changeSso: (sso) => ({ ...sso, startLimits }) })
  expect([(await start(app)).status, (await start(app)).status]).toEqual([503, 503])
})

test('a window keeps the cookies of eight sign-ins, and the oldest goes', async () => {
  const app = await startSso()
  const kept = Array.from({ length: 8 }, (_, index) => `sso-${index}=x`)
  const seven = await start(app, { Cookie: ['viewer=v', ...kept.slice(1)].join('; ') })
  expect(seven.setCookies).toHaveLength(1)
  const eight = await start(app, { Cookie: ['viewer=v', ...kept].join('; ') })
  expect(eight.setCookies.map((cookie) => cookie.split('=')[0])).toEqual([
    'sso-0',
    expect.stringMatching(/^sso-.{12}$/),
  ])
  expect(eight.setCookies[0]).toContain('Expires=Thu, 01 Jan 1970')
})

test('with TLS, the cookie of a window cannot come from another host', async () => {
  const app = express().get('/', (req, res) => {
    createWindowCookies(true, 600).set(req, res, 'd'.repeat(43), 'k')
    res.end()
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-sso-d{12}=k; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/),
  ])
})

test('the last page shows a user name as text', async () => {
  const app = await startSso()
  app.provider.accounts.set('ada', { preferred_username: '<img src=x>' })
  const { status, text, headers } = await finishWindow(app, await openWindow(app))
  expect([status, text.includes('<img src=x>'), text.includes('&lt;img src=x&gt;')]).toEqual([200, false, true])
  expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'; script-src 'self'$/)
  expect(headers['cache-control']).toBe('no-store')
})

test('a session of an entry point with a longer limit counts no longer than here', async () => {
  const clock = { seconds: Date.now() / 1000 }
  const app = await startSso({
    nowSeconds: () => clock.seconds,
    entryPointsWith: (sso) => [
      withSso({ ...sso, sessionSeconds: 6_000 }, entryPointAt('long')),
      withSso({ ...sso, sessionSeconds: 600 }, entryPointAt('short')),
    ],
  })
  const window = await openWindow(app, '/e/long')
  await finishWindow(app, window)
  const Cookie = cookiesOf(await pressContinue(app, window, '/e/long'))
  const statuses = async () => [
    (await app.get('/e/short', { Cookie })).status,
    (await app.get('/e/long', { Cookie })).status,
  ]
  clock.seconds += 595
  expect(await statuses()).toEqual([303, 303])
  clock.seconds += 10
  expect(await statuses()).toEqual([200, 303])
})

test('the cookie of a window is removed with the answer of the provider', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const { setCookies } = await finishWindow(app, window)
  expect(setCookies).toEqual([expect.stringMatching(/^sso-.{12}=; Path=\/; Expires=Thu, 01 Jan 1970/)])
})

test.each(['', 'x', 'A'.repeat(44), `${'A'.repeat(42)}"`])(
  '%j is neither a secret nor its public half',
  async (text) => {
    const app = await startSso()
    const started = await app.post('/sso/start', { flow: text }, startHeaders(app))
    expect([started.status, started.setCookies]).toEqual([400, []])
    const collected = await pressContinue(app, { wait: text })
    expect([collected.status, fieldOf(collected, 'wait')]).toEqual([400, expect.stringMatching(/^[\w-]{43}$/)])
  },
)

test('with TLS, the pages of the window have HSTS and nosniff', async () => {
  const app = await startSso({ publicUrl: 'https://login.example' })
  const { status, headers } = await app.get('/sso/callback')
  expect([status, headers['strict-transport-security'], headers['x-content-type-options']]).toEqual([
    400,
    'max-age=63072000; includeSubDomains',
    'nosniff',
  ])
})
