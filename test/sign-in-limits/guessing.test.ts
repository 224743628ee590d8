import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorText } from '../../src/languages/languages.ts'
import { trustedProxiesOf } from '../../src/login/request/client-address.ts'
import { NetworkList } from '../../src/sign-in-limits/settings.ts'
import { alertOf, expectRefused } from '../login/refused-answer.ts'
import { ADA, type Answer, type LoginApp, startLoginApp } from '../login/start-login-app.ts'

const WRONG = { ...ADA, password: 'wrong' }

/** Posts with fetch, which keeps its connections. For long series. */
async function post(app: LoginApp, form: Record<string, string>, headers: Record<string, string> = {}) {
  const url = `http://127.0.0.1:${app.port}/sign-in`
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** Runs the work `count` times, at most `width` at once. */
async function inParallel<T>(count: number, width: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  async function worker(): Promise<void> {
    while (next < count) {
      const index = next
      next += 1
      results[index] = await work(index)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

function countOf(answers: readonly Pick<Answer, 'status'>[], status: number): number {
  return answers.filter((answer) => answer.status === status).length
}

function from(address: string): Record<string, string> {
  return { 'X-Forwarded-For': address }
}

describe('guessing', { timeout: 60_000 }, () => {
  // Time stands still, so that no delay ends while a test runs.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('50 guesses at one account, one after the other, are throttled', async () => {
    const app = await startLoginApp()
    const answers = await inParallel(50, 1, () => post(app, WRONG))
    expect(countOf(answers, 401)).toBe(5)
    expect(countOf(answers, 429)).toBe(45)
    expect(app.users.asked).toHaveLength(5)
    const refused = await app.post('/sign-in', WRONG)
    expectRefused(refused, 429)
    expect(refused.headers['retry-after']).toBe('1')
    expect(alertOf(refused)).toBe(errorText('en', 'tooManyTries', { count: 1 }))
    expect(app.lines.at(-1)).toMatchObject({
      outcome: 'held-back',
      limit: 'account-and-address',
      viewer: ADA.username,
      address: '127.0.0.1',
    })
  })

  // A firewall in front of a login service may answer 403 ("disabled") to an attack.
  test('the answer "disabled" between guesses does not reset the count', async () => {
    const app = await startLoginApp()
    const { authenticate } = app.users
    app.users.authenticate = (username, password) =>
      password === "' OR 1=1" ? Promise.resolve({ ok: false, reason: 'disabled' }) : authenticate(username, password)
    const passwords = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? `guess ${index}` : "' OR 1=1"))
    const answers = await inParallel(passwords.length, 1, (index) =>
      post(app, { ...ADA, password: passwords[index] ?? '' }),
    )
    expect(countOf(answers, 401)).toBe(5)
    // It is not counted either: only the fifth wrong password starts the wait.
    expect(countOf(answers, 403)).toBe(4)
    expect(countOf(answers.slice(9), 429)).toBe(31)
  })

  test('guesses at an unknown name are throttled like guesses at a known name', async () => {
    const app = await startLoginApp()
    const statuses = async (username: string) => {
      const answers = await inParallel(10, 1, () => post(app, { username, password: 'x' }))
      return answers.map(({ status }) => status)
    }
    const ofKnown = await statuses(ADA.username)
    expect(ofKnown).toContain(429)
    expect(await statuses('nobody')).toEqual(ofKnown)
  })

  test('guesses at 350 names from one address are throttled and logged', async () => {
    const app = await startLoginApp()
    const answers = await inParallel(350, 20, (index) => post(app, { username: `u${index}`, password: 'x' }))
    expect(countOf(answers, 401)).toBeLessThanOrEqual(320)
    expect(countOf(answers, 429)).toBe(350 - countOf(answers, 401))
    const refused = answers.find(({ status }) => status === 429) ?? expect.unreachable()
    const count = Math.ceil(Number(refused.headers.get('retry-after')) / 60)
    expect(alertOf(refused)).toBe(errorText('en', 'tooManyTriesMinutes', { count }))
    expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'held-back', limit: 'address', level: 40 }))
  })
})

test('a limit that is reached during the check refuses after a whole second, right and wrong alike', async () => {
  const app = await startLoginApp({ trustProxyHops: 1 })
  const check = Promise.withResolvers<void>()
  app.users.hold(check.promise)
  const startedAtMs = performance.now()
  const burst = [ADA, WRONG].map(async (form, index) => {
    const { status } = await post(app, form, from(`10.1.0.${index}`))
    return { status, isLate: performance.now() - startedAtMs >= 990 }
  })
  await expect.poll(() => app.users.asked.length).toBe(2)
  app.users.hold(Promise.resolve())
  await inParallel(100, 20, (index) => post(app, WRONG, from(`10.0.0.${index}`)))
  check.resolve()
  const refused = { status: 429, isLate: true }
  expect(await Promise.all(burst)).toEqual([refused, refused])
})

const attackFrom = async (app: LoginApp, headersOf: (index: number) => Record<string, string | string[]>) => {
  const answers = await inParallel(8, 1, (index) => app.post('/sign-in', WRONG, headersOf(index)))
  return countOf(answers, 429)
}

test.each([
  ['the connection, without a proxy', 0, (index: number) => from(`10.0.0.${index}`), 3],
  ['the last entry, behind one proxy', 1, (index: number) => from(`10.0.0.${index}, 192.0.2.1`), 3],
  ['each client, behind one proxy', 1, (index: number) => from(`192.0.2.1, 10.0.0.${index}`), 0],
  [
    'the last but one entry, behind two proxies',
    2,
    (index: number) => from(`10.0.0.${index}, 192.0.2.1, 10.1.1.${index}`),
    3,
  ],
  ['each client, behind two proxies', 2, (index: number) => from(`192.0.2.9, 10.0.0.${index}, 10.1.1.1`), 0],
  ['an IPv4 address without its port', 1, (index: number) => from(`192.0.2.1:${5000 + index}`), 3],
  ['an IPv6 address without its port', 1, (index: number) => from(`[2001:db8::1]:${5000 + index}`), 3],
  ['an address that cannot be read', 1, () => from('a'), 3],
  ['the network of a household, in IPv6', 1, (index: number) => from(`2001:db8:1:2:${index}::${index}`), 3],
  ['each household, in IPv6', 1, (index: number) => from(`2001:db8:1:${index}::1`), 0],
])('failed sign-ins are counted for %s', async (_case, trustProxyHops, headersOf, refused) => {
  const app = await startLoginApp({ trustProxyHops })
  expect(await attackFrom(app, headersOf)).toBe(refused)
})

test.each([
  ['a client that reaches the port past the proxies', '10.1.1.1', 0, (index: number) => from(`10.0.0.${index}`), 3],
  ['the same with a number of proxies', '10.1.1.1', 1, (index: number) => from(`10.0.0.${index}`), 3],
  ['each client, behind a proxy of the list', '127.0.0.1', 0, (index: number) => from(`10.0.0.${index}`), 0],
  ['a client that forges an address', '127.0.0.1', 0, (index: number) => from(`10.0.0.${index}, 192.0.2.1`), 3],
  [
    'a client that forges an address, behind two proxies of the list',
    '127.0.0.0/8 10.1.1.0/24',
    0,
    (index: number) => from(`10.0.0.${index}, 192.0.2.1, 10.1.1.${index}:5000`),
    3,
  ],
  [
    'the second proxy, if the number of proxies is one',
    '127.0.0.0/8 10.1.1.0/24',
    1,
    (index: number) => from(`10.0.0.${index}, 10.1.1.1`),
    3,
  ],
])(
  'with TRUSTED_PROXIES, failed sign-ins are counted for %s',
  async (_case, list, trustProxyHops, headersOf, refused) => {
    const app = await startLoginApp({ trustProxyHops, trustedProxies: NetworkList.parse(list) })
    expect(await attackFrom(app, headersOf)).toBe(refused)
  },
)

test('the address of a dual-stack socket, which is IPv4 inside IPv6, is found in TRUSTED_PROXIES', () => {
  const trusts = trustedProxiesOf(0, NetworkList.parse('10.0.0.0/24, 2001:db8:1::/48'))
  const addresses = ['::ffff:10.0.0.1', '10.0.0.1', '2001:db8:1:2::3', '::ffff:10.0.1.1', '2001:db8:2::1', '', 'unix']
  expect(addresses.map((address) => trusts(address, 0))).toEqual([true, true, true, false, false, false, false])
})

test('the log has the counted address, without a port', async () => {
  const app = await startLoginApp({ trustProxyHops: 1 })
  await app.post('/sign-in', ADA, from('192.0.2.1:5000'))
  await app.post('/sign-in', ADA, from('[2001:db8::1]:5000'))
  await app.post('/sign-in', ADA, from('x'.repeat(500)))
  expect(app.lines.map(({ address }) => address)).toEqual(['192.0.2.1', '2001:db8::1', 'x'.repeat(64)])
})

test('a proxy that TRUST_PROXY_HOPS does not count causes one warning', async () => {
  const app = await startLoginApp()
  for (let visit = 0; visit < 3; visit += 1) await app.post('/sign-in', WRONG, from('192.0.2.1'))
  const warnings = app.lines.filter(({ event }) => event === 'unexpected-proxy')
  expect(warnings).toHaveLength(1)
  expect(warnings[0]?.msg).toContain('TRUST_PROXY_HOPS')
  expect(warnings[0]).toMatchObject({ address: '127.0.0.1' })
  const silent = await startLoginApp({ trustProxyHops: 1 })
  await silent.post('/sign-in', WRONG, from('192.0.2.1'))
  expect(silent.lines.filter(({ event }) => event === 'unexpected-proxy')).toEqual([])
})

test.each([
  ['127.0.0.1', 0],
  ['10.1.1.1', 1],
])('with TRUSTED_PROXIES=%s, a proxy at 127.0.0.1 causes %i warnings', async (list, warnings) => {
  const app = await startLoginApp({ trustProxyHops: 1, trustedProxies: NetworkList.parse(list) })
  for (let visit = 0; visit < 3; visit += 1) await app.post('/sign-in', WRONG, from('192.0.2.1'))
  expect(app.lines.filter(({ event }) => event === 'unexpected-proxy')).toHaveLength(warnings)
})
