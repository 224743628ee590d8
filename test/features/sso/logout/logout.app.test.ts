import { generateKeyPair } from 'jose'
import { expect, test } from 'vitest'
import { UpstreamError } from '../../../../src/errors.ts'
import type { SessionStore } from '../../../../src/sessions/session-store.ts'
import { openSqliteSessionStore } from '../../../../src/sessions/sqlite-store.ts'
import { entryPointAt } from '../../../login/entry-point.ts'
import { ADA, SESSION_LIMITS } from '../../../login/start-login-app.ts'
import { withSso } from '../entry-point.ts'
import { cookiesOf, fieldOf, finishWindow, openWindow, pressContinue, type SsoApp, startSso } from '../start-sso.ts'
import { logoutTokenOf as tokenOf } from './logout-issuer.ts'

const send = (app: SsoApp, token: string) => app.post('/sso/logout', { logout_token: token })
const logOut = async (app: SsoApp, changes?: object) => (await send(app, await tokenOf(app, changes))).status

async function signIn(app: SsoApp, basePath = ''): Promise<string> {
  const window = await openWindow(app, basePath)
  await finishWindow(app, window)
  const answer = await pressContinue(app, window, basePath)
  expect(answer.status).toBe(303)
  return cookiesOf(answer)
}

/** True if a returning viewer passes. */
const passes = async (app: SsoApp, Cookie: string, path = '/') => (await app.get(path, { Cookie })).status === 303

test('a logout ends the sessions of that SSO viewer only', async () => {
  const app = await startSso()
  const cookies = [await signIn(app), await signIn(app)]
  const own = { 'Sec-Fetch-Site': 'same-origin' }
  const password = cookiesOf(await app.post('/sign-in', ADA, own))
  expect(await Promise.all([...cookies, password].map((cookie) => passes(app, cookie)))).toEqual([true, true, true])
  const answer = await send(app, await tokenOf(app))
  expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([200, '', 'no-store'])
  expect(await Promise.all([...cookies, password].map((cookie) => passes(app, cookie)))).toEqual([false, false, true])
  const { issuer } = app.provider
  expect(app.lines).toContainEqual(
    expect.objectContaining({ outcome: 'sso-logged-out', entryPoint: 'none', issuer, subject: 'ada', ended: 2 }),
  )
})

test('a logout ends the sessions of all entry points, and there is no address below them', async () => {
  const app = await startSso({
    entryPointsWith: (sso) => ['one', 'two'].map((name) => withSso({ ...sso, label: name }, entryPointAt(name))),
  })
  const cookies = [await signIn(app, '/e/one'), await signIn(app, '/e/two')] as const
  expect((await app.post('/e/one/sso/logout', { logout_token: await tokenOf(app) })).status).toBe(404)
  expect(await logOut(app)).toBe(200)
  expect(await passes(app, cookies[0], '/e/one')).toBe(false)
  expect(await passes(app, cookies[1], '/e/two')).toBe(false)
})

test('a logout of a viewer without a session succeeds', async () => {
  const app = await startSso()
  expect(await logOut(app, { sub: 'nobody' })).toBe(200)
  expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'sso-logged-out', ended: 0 }))
})

test('a sign-in that began before a logout does not become a session, and a later one does', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const finished = await openWindow(app)
  const unfinished = await openWindow(app)
  await finishWindow(app, finished)
  expect(await logOut(app)).toBe(200)
  await finishWindow(app, unfinished)
  for (const window of [finished, unfinished]) {
    const answer = await pressContinue(app, window)
    expect([answer.status, answer.setCookies, fieldOf(answer, 'wait')]).toEqual([409, [], window.wait])
  }
  expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'sso-refused', reason: 'logged-out' }))
  await signIn(app)
})

test('a code that was shown before a logout opens nothing', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const started = await app.post('/sso/start', { flow: '' }, { Origin: app.origin })
  const cookie = cookiesOf(started)
  const address = /^0; url=(.+)$/.exec(started.headers.refresh ?? '')?.[1] ?? ''
  const shown = await finishWindow(app, { wait: '', flow: '', cookie, address })
  const code = /[A-Z2-9]{4}[ -]?[A-Z2-9]{4}/.exec(shown.text.replace(/<[^>]*>/g, ''))?.[0] ?? ''
  expect(code).not.toBe('')
  expect(await logOut(app)).toBe(200)
  const typed = await app.post('/sso/code', { code }, { 'Sec-Fetch-Site': 'same-origin' })
  expect([typed.status, typed.setCookies]).toEqual([401, []])
  expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'sso-refused', reason: 'logged-out' }))
})

test('a logout while a session begins ends the session', async () => {
  const sessionStore = openSqliteSessionStore(':memory:', SESSION_LIMITS, () => Date.now() / 1000)
  const { store } = sessionStore
  const set = store.set.bind(store)
  const app = await startSso({ sessionStore })
  const statuses: number[] = []
  // As at another copy, which looked for sessions before this one was there.
  store.set = (...session) => {
    void logOut(app).then((status) => {
      statuses.push(status)
      set(...session)
    })
  }
  const window = await openWindow(app)
  await finishWindow(app, window)
  const answer = await pressContinue(app, window)
  expect(statuses).toEqual([200])
  expect(sessionStore.count?.()).toBe(0)
  expect(await passes(app, cookiesOf(answer))).toBe(false)
})

test('a logout token counts once', async () => {
  const app = await startSso()
  const token = await tokenOf(app)
  expect((await send(app, token)).status).toBe(200)
  const Cookie = await signIn(app)
  const again = await send(app, token)
  expect([again.status, JSON.parse(again.text)]).toEqual([
    400,
    { error: 'invalid_request', error_description: expect.stringContaining('replayed') },
  ])
  expect(await passes(app, Cookie)).toBe(true)
})

test('a refused logout token has no effect, and the log has the reason without the token', async () => {
  const app = await startSso()
  const Cookie = await signIn(app)
  const { privateKey } = await generateKeyPair('RS256')
  const forged = await tokenOf(app, {}, privateKey)
  const answer = await send(app, forged)
  expect([answer.status, answer.headers['cache-control'], answer.setCookies]).toEqual([400, 'no-store', []])
  expect(await passes(app, Cookie)).toBe(true)
  expect(app.lines).toContainEqual(
    expect.objectContaining({ outcome: 'sso-logout-refused', status: 400, reason: 'wrong-signature' }),
  )
  expect(JSON.stringify(app.lines)).not.toContain(forged.slice(-30))
})

test('a request that is not a logout is refused', async () => {
  const app = await startSso()
  const json = { 'Content-Type': 'application/json' }
  const answers = [
    await app.get('/sso/logout'),
    await app.post('/sso/logout'),
    await app.post('/sso/logout', '{"logout_token":"x"}', json),
    await app.post('/sso/logout', 'logout_token=a&logout_token=b'),
    await app.post('/sso/logout', { logout_token: 'x'.repeat(9_000) }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([405, 400, 400, 400, 413])
  for (const { text } of answers) expect(JSON.parse(text)).toMatchObject({ error: 'invalid_request' })
  expect(answers[0]?.headers.allow).toBe('POST')
})

/** An app whose store of sessions, or of sign-ins under way, can be away. */
async function startWithOutages() {
  const away = { isSessions: false, isFlows: false }
  const fail = () => Promise.reject(new UpstreamError('store', 'away'))
  const opened = openSqliteSessionStore(':memory:', SESSION_LIMITS, () => Date.now() / 1000)
  const sessionStore: SessionStore = {
    ...opened,
    endIdentitySessions: (logout) => (away.isSessions ? fail() : opened.endIdentitySessions(logout)),
  }
  const app = await startSso({
    sessionStore,
    changeSso: (sso) => ({
      ...sso,
      flows: { ...sso.flows, put: (...record) => (away.isFlows ? fail() : sso.flows.put(...record)) },
    }),
  })
  return { app, away }
}

test('while the store of sessions is away, a logout answers 503, and the same token works later', async () => {
  const { app, away } = await startWithOutages()
  const Cookie = await signIn(app)
  const token = await tokenOf(app)
  away.isSessions = true
  const first = await send(app, token)
  expect([first.status, JSON.parse(first.text), Number(first.headers['retry-after']) > 0]).toEqual([
    503,
    expect.objectContaining({ error: 'temporarily_unavailable' }),
    true,
  ])
  expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'sso-failed', status: 503 }))
  away.isSessions = false
  expect((await send(app, token)).status).toBe(200)
  expect(await passes(app, Cookie)).toBe(false)
})

test('a logout ends sessions even if it cannot be kept for the sign-ins under way', async () => {
  const { app, away } = await startWithOutages()
  const Cookie = await signIn(app)
  const token = await tokenOf(app)
  away.isFlows = true
  expect((await send(app, token)).status).toBe(503)
  expect(await passes(app, Cookie)).toBe(false)
  away.isFlows = false
  expect((await send(app, token)).status).toBe(200)
})

test('refused logout tokens hold back no token of the provider, which may share their network', async () => {
  const app = await startSso()
  const Cookie = await signIn(app)
  for (let sent = 0; sent < 301; sent += 1) expect((await send(app, 'x')).status).toBe(400)
  expect(await logOut(app)).toBe(200)
  expect(await passes(app, Cookie)).toBe(false)
})
