import { expect, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { createStartLimits } from '../../../src/services/window/flows/start-limits.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { entryPointAt, PLAYER } from '../../login/entry-point.ts'
import { ADA } from '../../login/start-login-app.ts'
import { createAuthenticator } from './authenticator.ts'
import { withPasskeys } from './entry-point.ts'
import {
  enrol,
  openFrame,
  openWindow,
  ownHeaders,
  type PasskeyApp,
  post,
  pressContinue,
  readWindow,
  reasonOf,
  startPasskeys,
} from './start-passkeys.ts'

type Authenticator = ReturnType<typeof createAuthenticator>
const refusalsOf = (app: PasskeyApp) =>
  app.lines.flatMap(({ outcome, reason }) => (outcome === 'passkey-refused' ? [reason] : []))
const outcomesOf = (app: PasskeyApp) => app.lines.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))

/** Signs in in the window, and returns the answer in the frame. */
async function signIn(app: PasskeyApp, authenticator: Authenticator, more = {}) {
  const frame = await openFrame(app)
  const window = await openWindow(app, frame)
  const done = await post(app, 'finish', window, authenticator.signIn(window))
  return { done, collected: await pressContinue(app, frame, more), frame }
}

test('a viewer signs in with a passkey in the window, and the frame gets the response and a session', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  app.lines.length = 0
  const { done, collected } = await signIn(app, authenticator)
  expect([done.status, collected.status]).toEqual([200, 303])
  expect(collected.location).toMatch(
    `${PLAYER}/embed/hashlock/pass?keep=a%20b&hash=%5B%7B%22user%22%3A%22ada%40example.com`,
  )
  const Cookie = collected.setCookies.map((line) => line.split(';')[0]).join('; ')
  expect((await app.get('/', { Cookie })).status).toBe(303)
  expect(outcomesOf(app)).toEqual(['passkey-started', 'passkey-signed-in', 'signed-in', 'returned'])
  await app.store.setDisabled(ADA.username, true)
  expect((await app.get('/', { Cookie })).status).toBe(200)
})

test('the window asks for a passkey of any viewer, and for the fingerprint, face or PIN', async () => {
  const app = await startPasskeys()
  const { publicKey } = await openWindow(app, await openFrame(app))
  expect(publicKey).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    rpId: 'login.example',
    userVerification: 'required',
    timeout: 110_000,
  })
})

test('the pages of the window load own scripts only, and no page may frame them', async () => {
  const app = await startPasskeys()
  const { flow } = await openFrame(app)
  const { headers, setCookies } = await app.post('/passkey/start', { flow }, ownHeaders(app))
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; script-src 'self'",
  )
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
    'x-content-type-options': 'nosniff',
  })
  expect(headers).not.toHaveProperty('cross-origin-opener-policy')
  expect(setCookies).toEqual([
    expect.stringMatching(/^__Host-sso-[\w-]{12}=[\w-]{43}; Max-Age=120; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/),
  ])
})

test('an answer without the fingerprint, face or PIN is refused', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const frame = await openFrame(app)
  const window = await openWindow(app, frame)
  const refused = await post(app, 'finish', window, authenticator.signIn(window, { userVerified: false }))
  expect([refused.status, refusalsOf(app)]).toEqual([401, ['user-not-verified']])
  expect((await pressContinue(app, frame)).status).toBe(409)
})

test.each([
  ['a changed signature', 'signature', 'wrong-signature'],
  ['changed data of the authenticator', 'authenticatorData', 'wrong-rp-id'],
  ['the handle of another viewer', 'userHandle', 'wrong-user'],
])('an answer with %s is refused', async (_case, field, reason) => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const window = await openWindow(app, await openFrame(app))
  const answer = authenticator.signIn(window)
  const bytes = Buffer.from(answer[field] ?? '', 'base64url')
  const index = field === 'authenticatorData' ? 0 : bytes.length - 1
  bytes[index] = (bytes[index] ?? 0) ^ 1
  const refused = await post(app, 'finish', window, { ...answer, [field]: bytes.toString('base64url') })
  expect([refused.status, refusalsOf(app)]).toEqual([401, [reason]])
})

test('an answer counts once', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const frame = await openFrame(app)
  const window = await openWindow(app, frame)
  const answer = authenticator.signIn(window)
  expect((await post(app, 'finish', window, answer)).status).toBe(200)
  expect((await pressContinue(app, frame)).status).toBe(303)
  expect((await post(app, 'finish', window, answer)).status).toBe(400)
  expect([refusalsOf(app), (await pressContinue(app, frame)).status]).toEqual([['expired'], 409])
})

test('a challenge ends after 120 seconds', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const window = await openWindow(app, await openFrame(app))
  app.clock.seconds += 120
  expect((await post(app, 'finish', window, authenticator.signIn(window))).status).toBe(400)
  expect(refusalsOf(app)).toEqual(['expired'])
})

test('the challenge of another window is refused without the cookie of that window, and used up', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const victim = await openWindow(app, await openFrame(app))
  const attacker = await openWindow(app, await openFrame(app))
  const answer = authenticator.signIn(attacker)
  const lured = await post(app, 'finish', { ...attacker, cookie: victim.cookie }, answer)
  expect([lured.status, refusalsOf(app)]).toEqual([400, ['no-cookie']])
  expect((await post(app, 'finish', attacker, answer)).status).toBe(400)
})

test('a challenge counts only at the entry point of its frame, and so does its result', async () => {
  const entryPoints = ['one', 'two'].map((name) => withPasskeys(entryPointAt(name)))
  const app = await startPasskeys({ entryPoints })
  const frame = await openFrame(app, '/e/one')
  const window = await openWindow(app, frame, '/e/one')
  const fields = { flow: window.flow, challenge: window.challenge, ...createAuthenticator().signIn(window) }
  const other = await app.post('/e/two/passkey/finish', fields, ownHeaders(app, window.cookie))
  expect([other.status, refusalsOf(app)]).toEqual([400, ['expired']])
  const page = await app.post('/e/one/passkey/password', { flow: frame.flow, ...ADA }, ownHeaders(app))
  const creation = readWindow(app, page)
  const answer = createAuthenticator().create(creation, creation.publicKey.user?.id ?? '')
  const created = { flow: frame.flow, challenge: creation.challenge, ...answer }
  expect((await app.post('/e/one/passkey/create', created, ownHeaders(app, creation.cookie))).status).toBe(200)
  const fieldsOfFrame = { wait: frame.wait, way: 'passkey' }
  const collected = await app.post('/e/two/sso/continue', fieldsOfFrame, { 'Sec-Fetch-Site': 'same-origin' })
  expect(collected.status).toBe(409)
})

test('an unknown passkey is refused', async () => {
  const app = await startPasskeys()
  const window = await openWindow(app, await openFrame(app))
  const refused = await post(app, 'finish', window, createAuthenticator().signIn(window))
  expect([refused.status, refusalsOf(app)]).toEqual([401, ['unknown']])
})

test('a removed passkey and a passkey of a disabled viewer are refused', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  await app.store.setDisabled(ADA.username, true)
  expect((await signIn(app, authenticator)).done.status).toBe(401)
  await app.store.setDisabled(ADA.username, false)
  expect((await signIn(app, authenticator)).done.status).toBe(200)
  await app.passkeys.remove(ADA.username, authenticator.id)
  expect((await signIn(app, authenticator)).done.status).toBe(401)
})

test('a viewer who is disabled between window and frame gets no response', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const frame = await openFrame(app)
  const window = await openWindow(app, frame)
  await post(app, 'finish', window, authenticator.signIn(window))
  await app.store.setDisabled(ADA.username, true)
  const refused = await pressContinue(app, frame)
  expect([refused.status, reasonOf(refused), refused.setCookies]).toEqual([403, 'disabled', []])
})

test('a counter that goes back is refused and logged', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app, createAuthenticator({ counter: 5 }))
  authenticator.setCounter(9)
  expect((await signIn(app, authenticator)).done.status).toBe(200)
  authenticator.setCounter(9)
  expect((await signIn(app, authenticator)).done.status).toBe(401)
  expect(app.lines.find(({ outcome }) => outcome === 'passkey-refused')).toMatchObject({
    level: 40,
    viewer: ADA.username,
    reason: 'counter-went-back',
  })
})

test.each([
  ['without an origin', {}],
  ['from an opaque origin', { Origin: 'null' }],
  ['from another site', { Origin: 'https://evil.example' }],
  ['into a frame', { Origin: 'https://login.example', 'Sec-Fetch-Dest': 'iframe' }],
])('every step %s is refused', async (_case, headers) => {
  const app = await startPasskeys()
  const { flow } = await openFrame(app)
  for (const step of ['start', 'finish', 'password', 'create']) {
    const answer = await app.post(`/passkey/${step}`, { flow, ...ADA }, headers)
    expect([step, answer.status, answer.setCookies]).toEqual([step, 403, []])
  }
})

test('a link opens no window, and a form without a frame is refused', async () => {
  const app = await startPasskeys()
  for (const step of ['start', 'finish', 'password', 'create']) {
    const answer = await app.get(`/passkey/${step}`)
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
    expect((await app.post(`/passkey/${step}`, { flow: 'x' }, ownHeaders(app))).status).toBe(400)
  }
})

test('the limit on failed sign-ins of an address holds for passkeys, and gives no passkey away', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const statuses: number[] = []
  for (let tries = 0; tries < 7; tries += 1) {
    const window = await openWindow(app, await openFrame(app))
    statuses.push((await post(app, 'finish', window, authenticator.signIn(window, { userVerified: false }))).status)
  }
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401])
  expect(statuses.at(-1)).toBe(429)
  expect((await signIn(app, authenticator)).done.status).toBe(429)
  // Wrong passwords and passkeys do not lock each other.
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})

test('a network with too many open windows must wait', async () => {
  const startLimits = createStartLimits(openMemoryCounter, { perNetwork: 1 })
  const app = await startPasskeys({ changePasskeys: (passkeys) => ({ ...passkeys, startLimits }) })
  const { flow } = await openFrame(app)
  const statuses = [0, 1].map(async () => (await app.post('/passkey/start', { flow }, ownHeaders(app))).status)
  expect((await Promise.all(statuses)).sort()).toEqual([200, 429])
})

test('while the store of open windows is away, passkeys answer 503 and passwords go on', async () => {
  const away = () => Promise.reject(new UpstreamError('sso-store', 'Redis does not answer'))
  const flows = { put: away, take: away, has: away, read: away, close: () => {} }
  const app = await startPasskeys({ changePasskeys: (passkeys) => ({ ...passkeys, flows }) })
  const { flow, wait } = await openFrame(app)
  const answers = [
    await app.post('/passkey/start', { flow }, ownHeaders(app)),
    await app.post('/passkey/finish', { flow, challenge: 'x' }, ownHeaders(app)),
    await pressContinue(app, { wait }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(app.lines.map(({ outcome }) => outcome)).toEqual(['passkey-started', 'passkey-failed'])
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})

test('the log has no challenge, no passkey and no answer of the authenticator', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const secrets = [authenticator.id]
  for (const changes of [{}, { origin: 'https://evil.example' }, { challenge: 'y'.repeat(43) }]) {
    const frame = await openFrame(app)
    const window = await openWindow(app, frame)
    const answer = authenticator.signIn(window, changes)
    await post(app, 'finish', window, answer)
    await pressContinue(app, frame)
    secrets.push(window.challenge, window.cookie.split('=')[1] ?? '?', frame.wait, frame.flow, ...Object.values(answer))
  }
  const log = JSON.stringify(app.lines)
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
})

test('the access policy and the address of a consumer are checked as after a password', async () => {
  const app = await startPasskeys({ entryPoint: { allowedGroups: ['silver'] } })
  const { authenticator } = await enrol(app)
  const { collected } = await signIn(app, authenticator)
  expect([collected.status, reasonOf(collected), collected.setCookies]).toEqual([403, 'not-entitled', []])
  expect((await signIn(app, authenticator, { hashConsumer: 'https://evil.example/' })).collected.status).toBe(400)
})
