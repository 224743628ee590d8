import { expect, test } from 'vitest'
import { createMemoryFlows } from '../../../src/services/window/flows/memory-flows.ts'
import { createStartLimits } from '../../../src/services/window/flows/start-limits.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits } from '../../../src/sign-in-limits/sign-in-limits.ts'
import { ADA, START_SECONDS } from '../../login/start-login-app.ts'
import { createAuthenticator } from './authenticator.ts'
import {
  enrol,
  openFrame,
  openWindow,
  ownHeaders,
  type PasskeyAppOptions,
  post,
  pressContinue,
  readWindow,
  startPasskeys,
  typePassword,
} from './start-passkeys.ts'

/** Replaces the limit on open windows of one network. */
function withLimit(perNetwork: number): PasskeyAppOptions {
  const startLimits = createStartLimits(openMemoryCounter, { perNetwork })
  return { changePasskeys: (passkeys) => ({ ...passkeys, startLimits }) }
}

test('of two concurrent answers with one challenge, one counts', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const window = await openWindow(app, await openFrame(app))
  const answer = authenticator.signIn(window)
  const answers = await Promise.all([1, 2, 3].map(() => post(app, 'finish', window, answer)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('the result goes to the frame that opened the window, whatever frame the answer names', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const own = await openFrame(app)
  const other = await openFrame(app)
  const window = await openWindow(app, own)
  const done = await post(app, 'finish', { ...window, flow: other.flow }, authenticator.signIn(window))
  expect(done.status).toBe(200)
  expect((await pressContinue(app, other)).status).toBe(409)
  // The public half of the secret collects nothing.
  expect((await pressContinue(app, { wait: own.flow })).status).toBe(409)
  expect((await pressContinue(app, own)).status).toBe(303)
})

test('the answer for a creation is refused without the cookie of its window, and used up', async () => {
  const app = await startPasskeys()
  const victim = await openFrame(app)
  const attacker = await openFrame(app)
  const window = readWindow(app, await typePassword(app, attacker))
  const { cookie } = await openWindow(app, victim)
  const answer = createAuthenticator().create(window, window.publicKey.user?.id ?? '')
  expect((await post(app, 'create', { ...window, cookie }, answer)).status).toBe(400)
  expect((await post(app, 'create', window, answer)).status).toBe(400)
  expect(await app.passkeys.list(ADA.username)).toEqual([])
})

test('a viewer who is removed between window and frame gets no response', async () => {
  const app = await startPasskeys()
  const { frame } = await enrol(app)
  await app.store.remove(ADA.username)
  expect((await pressContinue(app, frame)).status).toBe(403)
})

test('wrong passwords and wrong passkeys count together for their address', async () => {
  const addressLimit = { failures: 3, trustedNetworks: [] }
  const app = await startPasskeys({ signInLimits: createSignInLimits(openMemoryCounter, addressLimit) })
  for (const name of ['one', 'two']) await app.post('/sign-in', { username: name, password: 'wrong' })
  const finish = async () => {
    const window = await openWindow(app, await openFrame(app))
    return (await post(app, 'finish', window, createAuthenticator().signIn(window))).status
  }
  expect([await finish(), await finish()]).toEqual([401, 429])
  expect((await app.post('/sign-in', ADA)).status).toBe(429)
})

test('an unknown user name and a wrong password get the same page, without passkeys', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const frame = await openFrame(app)
  const pageOf = async (username: string) => {
    const { status, text } = await typePassword(app, frame, { username, password: 'wrong' })
    return [status, text.replaceAll(/challenge(&#34;:&#34;|" value=")[\w-]{43}|\w+@example\.com/g, '')]
  }
  const known = await pageOf(ADA.username)
  const unknown = await pageOf('nobody@example.com')
  expect(known).toEqual(unknown)
  expect(known[0]).toBe(401)
  expect(known[1]).not.toContain(authenticator.id)
})

test('a viewer who is signed in counts no longer as an open window', async () => {
  const app = await startPasskeys(withLimit(1))
  const { authenticator } = await enrol(app)
  for (let visit = 0; visit < 3; visit += 1) {
    const window = await openWindow(app, await openFrame(app))
    expect((await post(app, 'finish', window, authenticator.signIn(window))).status).toBe(200)
  }
})

test('a full store of open windows refuses new ones, which do not count', async () => {
  const flows = createMemoryFlows(() => START_SECONDS, 0)
  const { changePasskeys } = withLimit(1)
  const app = await startPasskeys({
    changePasskeys: (passkeys) => ({ ...(changePasskeys?.(passkeys) ?? passkeys), flows }),
  })
  const { flow } = await openFrame(app)
  for (let tries = 0; tries < 2; tries += 1) {
    const { status, headers } = await app.post('/passkey/start', { flow }, ownHeaders(app))
    expect([status, headers['retry-after']]).toEqual([503, '60'])
  }
})

test.each([
  ['of a megabyte', 'x'.repeat(1_000_000), 413],
  ['with a field twice', 'flow=a&flow=b', 400],
])('a form %s is refused', async (_case, body, status) => {
  const app = await startPasskeys()
  const headers = { ...ownHeaders(app), 'Content-Type': 'application/x-www-form-urlencoded' }
  expect((await app.post('/passkey/finish', body, headers)).status).toBe(status)
  expect(app.lines).toMatchObject([{ outcome: 'refused-request', status }])
})

test.each(['counter-went-back', 'unknown'] as const)(
  'a passkey that another request used or removed in the meantime is refused: %s',
  async (outcome) => {
    const app = await startPasskeys({
      changePasskeys: ({ store, ...passkeys }) => {
        return { ...passkeys, store: { ...store, recordUse: () => Promise.resolve(outcome) } }
      },
    })
    const { authenticator } = await enrol(app)
    const window = await openWindow(app, await openFrame(app))
    expect((await post(app, 'finish', window, authenticator.signIn(window))).status).toBe(401)
    expect(app.lines.find(({ outcome: logged }) => logged === 'passkey-refused')).toMatchObject({ reason: outcome })
  },
)
