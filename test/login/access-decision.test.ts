import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { decideAccess } from '../../src/login/access-policy.ts'
import type { AccessPolicy, Explanation } from '../../src/login/answer/access-decision.ts'
import { listen, stopServer } from '../../src/server/http-server.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { alertOf, expectRefused } from './refused-answer.ts'
import { responseOf } from './response-of.ts'
import { signIn } from './signed-in.ts'
import { ADA, type Answer, type LoginApp, startLoginApp } from './start-login-app.ts'
import { withSecrets } from './with-secrets.ts'

type Decide = AccessPolicy['decideAccess']

/** Starts the app with a policy that the test can replace. */
async function startWith(decide: Decide, timeoutMs = 10_000) {
  const policy = { decideAccess: decide }
  const accessPolicy: AccessPolicy = { decideAccess: (...given) => policy.decideAccess(...given), timeoutMs }
  return { app: await startLoginApp({ accessPolicy }), policy }
}

/** Signs in, and returns with the session of an earlier sign-in. Expects the same answer to both. */
async function answersOf(decide: Decide, timeoutMs?: number): Promise<{ app: LoginApp; answers: Answer[] }> {
  const { app, policy } = await startWith(decideAccess, timeoutMs)
  const Cookie = await signIn(app)
  policy.decideAccess = decide
  return { app, answers: [await app.post('/sign-in', ADA), await app.get('/', { Cookie })] }
}

const refusing = (explanation: Explanation) => () => ({ ok: false, reason: 'not-entitled', explanation }) as const

test('a viewer gets the parameters of an asynchronous decision', async () => {
  const { answers } = await answersOf(async (viewer) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return { ok: true, parameters: [['ticket', `of ${viewer.username}`]] }
  })
  for (const { location } of answers) {
    expect(responseOf(location).parameters).toEqual([['ticket', `of ${ADA.username}`]])
  }
})

test('a policy learns the viewer, the entry point and the channel or video', async () => {
  const asked: unknown[] = []
  const { app } = await startWith((viewer, entryPoint, content, signal) => {
    asked.push([viewer.username, entryPoint.name, content, signal.aborted])
    return decideAccess(viewer, entryPoint, content)
  })
  await app.post('/sign-in', { ...ADA, ustreamContentType: 'channel', ustreamContentId: '7' })
  expect(asked).toEqual([[ADA.username, ENTRY_POINT.name, { type: 'channel', id: '7' }, false]])
})

test('a viewer who may not watch gets no redirect and no session, but a reason', async () => {
  const { app, answers } = await answersOf(() => Promise.resolve({ ok: false, reason: 'not-entitled' }))
  for (const answer of answers) expectRefused(answer, 403)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-entitled', viewer: ADA.username })
})

const FAULT = new Error('INTERNALMARKER')
const faults: [string, Decide][] = [
  [
    'throws',
    () => {
      throw FAULT
    },
  ],
  ['rejects', () => Promise.reject(FAULT)],
  ['returns nothing', () => undefined as never],
  ['resolves to nothing', () => Promise.resolve(undefined as never)],
  ['resolves to true', () => Promise.resolve(true as never)],
  ['returns a text for yes', () => ({ ok: 'no', parameters: [['user', ADA.username]] }) as never],
]
test.each(faults)('a policy that %s gives no response, no session and no detail', async (_case, decide) => {
  const { app, answers } = await answersOf(decide)
  for (const answer of answers) {
    expectRefused(answer, 503)
    expect(answer.headers['retry-after']).toBe('30')
    expect(answer.text).not.toContain('INTERNALMARKER')
  }
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'failed', status: 503 })
})

test('a policy that does not decide in time gives no response, and its signal aborts', async () => {
  const signals: AbortSignal[] = []
  const { app, answers } = await answersOf((_viewer, _entryPoint, _content, signal) => {
    signals.push(signal)
    return new Promise(() => {})
  }, 20)
  for (const answer of answers) expectRefused(answer, 503)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'failed', status: 503 })
})

test('a decision that arrives too late gives no response and stops no process', async () => {
  const late: ((error: Error) => void)[] = []
  const { app } = await startWith(() => new Promise((_resolve, reject) => late.push(reject)), 20)
  expectRefused(await app.post('/sign-in', ADA), 503)
  for (const reject of late) reject(FAULT)
  await new Promise(setImmediate)
  expectRefused(await app.post('/sign-in', ADA), 503)
})

test('a response has the secret and the time after the decision', async () => {
  const secrets = { current: 'the old secret', previous: null }
  const clock = { seconds: 1000 }
  const app = await startLoginApp({
    features: [withSecrets(() => ({ ...secrets }))],
    nowSeconds: () => clock.seconds,
    accessPolicy: {
      timeoutMs: 10_000,
      decideAccess: async (viewer, entryPoint, content) => {
        await Promise.resolve()
        secrets.current = 'the new secret'
        clock.seconds = 2000
        return decideAccess(viewer, entryPoint, content)
      },
    },
  })
  const { location } = await app.post('/sign-in', ADA)
  expect(responseOf(location, 'the new secret').expiresAtSeconds).toBe(2000 + ENTRY_POINT.lifetimeSeconds)
})

test('a refusal shows the sentence and the link of the policy', async () => {
  const text = 'Your ticket <1> ended on 3 November.'
  const link = { href: 'https://shop.example/renew?a=1&b=2', text: 'Renew' }
  const { answers } = await answersOf(refusing({ text, link }))
  for (const answer of answers) {
    expectRefused(answer, 403)
    expect(alertOf(answer)).toBe(text)
    expect(answer.text).toMatch(
      /<a [^>]*href="https:\/\/shop\.example\/renew\?a=1&amp;b=2" target="_blank" rel="noopener">Renew</,
    )
    expect(answer.text).toContain('prompt=other-account')
  }
})

test.each([
  ['no-ticket', 'no-ticket'],
  ['a'.repeat(40), 'a'.repeat(40)],
  ['a'.repeat(41), 'invalid-code'],
  ['No ticket', 'invalid-code'],
  ['', 'invalid-code'],
])('the code %j of a refusal is %s in the log, and not on the screen', async (code, logged) => {
  const { app, answers } = await answersOf(() => ({ ok: false, reason: 'not-entitled', code }))
  for (const answer of answers) {
    expectRefused(answer, 403)
    expect(answer.text).not.toContain(logged)
  }
  expect(app.lines.slice(-2)).toMatchObject([
    { outcome: 'not-entitled', code: logged, reason: expect.stringMatching('^groups') },
    { outcome: 'not-entitled', code: logged },
  ])
})

test('a returning viewer whom the policy refuses with another code has another line', async () => {
  const codes = ['before-the-event', 'after-the-event', 'after-the-event']
  const { app, policy } = await startWith(decideAccess)
  const Cookie = await signIn(app)
  policy.decideAccess = () => ({ ok: false, reason: 'not-entitled', code: codes.shift() ?? '' })
  for (let visit = 0; visit < 3; visit += 1) await app.get('/', { Cookie })
  expect(app.lines.slice(1).map(({ code }) => code)).toEqual(['before-the-event', 'after-the-event'])
})

test.each([
  ['de', 'Ihr Ticket ist abgelaufen.', 'Verlängern'],
  ['ja', 'Your ticket ended.', 'Renew'],
])('a policy may have a text for each language, and English for the others: %s', async (language, text, label) => {
  const explanation: Explanation = {
    text: { en: 'Your ticket ended.', de: 'Ihr Ticket ist abgelaufen.' },
    link: { href: 'mailto:tickets@example.com', text: { en: 'Renew', de: 'Verlängern' } },
  }
  const { app } = await startWith(refusing(explanation))
  const answer = await app.post('/sign-in', ADA, { 'Accept-Language': language })
  expect(alertOf(answer)).toBe(text)
  expect(answer.text).toContain(`href="mailto:tickets@example.com" target="_blank" rel="noopener">${label}<`)
})

test.each(['javascript:alert(1)', 'http://shop.example/', '/renew', 'data:text/html,x', '\njavascript:alert(1)', ''])(
  'a screen leaves out the link %j of a policy, and the log says so',
  async (href) => {
    const { app } = await startWith(refusing({ text: 'Your ticket ended.', link: { href, text: 'RENEW' } }))
    const answer = await app.post('/sign-in', ADA)
    expectRefused(answer, 403)
    expect(alertOf(answer)).toBe('Your ticket ended.')
    expect(answer.text).not.toContain('RENEW')
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-entitled', reason: expect.stringContaining('https:') })
  },
)

test('a returning viewer whose policy is asynchronous cannot loop', async () => {
  const { app } = await startWith((viewer, entryPoint, content) =>
    Promise.resolve(decideAccess(viewer, entryPoint, content)),
  )
  const Cookie = await signIn(app)
  const statuses: number[] = []
  for (let visit = 0; visit < 4; visit += 1) statuses.push((await app.get('/', { Cookie })).status)
  expect(statuses).toEqual([303, 303, 409, 409])
})

/** The example of README.md: asks a ticket service. */
test('a policy that asks a ticket service refuses viewers without a ticket, and fails closed', async () => {
  const tickets = createServer((req, res) => {
    const status = { '/tickets/ada%40example.com': 204, '/tickets/bob': 404 }[req.url ?? ''] ?? 500
    res.writeHead(status).end()
  })
  const port = await listen(tickets, 0, '127.0.0.1')
  onTestFinished(() => stopServer(tickets, 0))
  const { app } = await startWith(async (viewer, entryPoint, content, signal) => {
    const address = `http://127.0.0.1:${port}/tickets/${encodeURIComponent(viewer.username)}`
    const { status } = await fetch(address, { signal })
    if (status === 404) return { ok: false, reason: 'not-entitled', explanation: { text: 'Buy a ticket.' } }
    if (status !== 204) throw new Error(`The ticket service answered ${status}`)
    return decideAccess(viewer, entryPoint, content)
  })
  app.users.add('bob', 'bob’s own')
  app.users.add('eve', 'eve’s own')
  responseOf((await app.post('/sign-in', ADA)).location)
  const refused = await app.post('/sign-in', { username: 'bob', password: 'bob’s own' })
  expectRefused(refused, 403)
  expect(alertOf(refused)).toBe('Buy a ticket.')
  expectRefused(await app.post('/sign-in', { username: 'eve', password: 'eve’s own' }), 503)
})
