import { expect, test } from 'vitest'
import { UNBRANDED } from '../../../src/brand/brand.ts'
import { UpstreamError } from '../../../src/errors.ts'
import { newCode } from '../../../src/features/sso/code.ts'
import { createMemoryFlows } from '../../../src/services/window/flows/memory-flows.ts'
import { entryPointAt } from '../../login/entry-point.ts'
import { cookieIn, idIn } from '../../login/signed-in.ts'
import { withSso } from './entry-point.ts'
import { fieldOf, issueCode, openWindow, type SsoApp, startHeaders, startSso, visitProvider } from './start-sso.ts'

const reasonOf = ({ text }: { text: string }) => /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]
const type = (app: SsoApp, code: string, basePath = '') =>
  app.post(`${basePath}/sso/code`, { code }, { 'Sec-Fetch-Site': 'same-origin' })

test('a viewer signs in on another device, and the code opens the player, once', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { done, code } = await issueCode(app)
  expect([done.status, code.length]).toEqual([200, 9])
  const answer = await type(app, code.toLowerCase())
  expect([answer.status, answer.location]).toEqual([303, expect.stringContaining('ada%40example.com')])
  expect(answer.setCookies).toHaveLength(1)
  const again = await type(app, code)
  expect([again.status, reasonOf(again)]).toEqual([401, 'sso-wrong-code'])
  expect(again.text).toMatch(/id="code"[^>]* aria-describedby="code-hint alert" aria-invalid="true"/)
  expect(JSON.stringify(app.lines)).not.toContain(code.replace(' ', ''))
})

test('a code sent twice by one page starts one session, and another page gets none', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { code } = await issueCode(app)
  const pageOf = async () => /name="page" value="([\w-]{36})"/.exec((await app.get('/?prompt=code')).text)?.[1] ?? ''
  const send = (page: string) => app.post('/sso/code', { code, page }, { 'Sec-Fetch-Site': 'same-origin' })
  const page = await pageOf()
  const both = await Promise.all([send(page), send(page)])
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect(new Set(both.map((answer) => idIn(cookieIn(answer)))).size).toBe(1)
  expect((await send(await pageOf())).status).toBe(401)
})

test('the form for a code sent twice begins again, and each sign-in has a code of its own', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const codes = [(await issueCode(app)).code, (await issueCode(app)).code]
  expect(new Set(codes).size).toBe(2)
  for (const code of codes) expect((await type(app, code)).status).toBe(303)
})

test('the page with a code names the brand or the host, and leads to a new code of the same entry point', async () => {
  const app = await startSso({
    settings: { hasCode: true },
    entryPointsWith: (sso) => [
      withSso(sso, entryPointAt('plain')),
      withSso(sso, entryPointAt('named', { brand: { ...UNBRANDED, name: 'Lakeside Media' } })),
    ],
  })
  for (const [name, place] of [
    ['plain', 'localhost:'],
    ['named', 'Lakeside Media.'],
  ] as const) {
    const { done, code } = await issueCode(app, `/e/${name}`)
    expect(done.text).toContain(`<p>Works for 3 minutes, at ${place}`)
    expect(done.text).not.toContain('UTC')
    const again = await app.post(`/e/${name}/sso/start`, { flow: fieldOf(done, 'flow') }, startHeaders(app))
    expect([again.status, /action="([^"]*)"/.exec(done.text)?.[1]]).toEqual([200, `/e/${name}/sso/start`])
    expect((await type(app, code, `/e/${name}`)).status).toBe(303)
  }
})

test.each([
  ['small letters', (code: string) => code.toLowerCase()],
  ['wide letters', (code: string) => code.replace(/[^ ]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))],
  ['a hyphen', (code: string) => code.replace(' ', '-')],
  ['wide and narrow spaces', (code: string) => ` ${code.replace(' ', '\u3000\u202f')}\u00a0`],
])('a code with %s is the same code', async (_case, write) => {
  const app = await startSso({ settings: { hasCode: true } })
  const { code } = await issueCode(app)
  expect((await type(app, write(code))).status).toBe(303)
})

test('codes have every character of the alphabet equally often, and none that looks like another', () => {
  const counts = new Map<string, number>()
  for (const character of Array.from({ length: 4_000 }, newCode).join('')) {
    counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  expect([...counts.keys()].toSorted().join('')).toBe('23456789ABCDEFGHJKLMNPQRSTUVWXYZ')
  // 1,000 of each are expected; the standard deviation is 31.
  expect(Math.min(...counts.values())).toBeGreaterThan(800)
  expect(Math.max(...counts.values())).toBeLessThan(1_200)
})

test('of two frames with the same code, one opens the player', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { code } = await issueCode(app)
  const answers = await Promise.all([type(app, code), type(app, code), type(app, code)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 401, 401])
})

test('a code of a viewer whom the policy refuses opens nothing, and is used up', async () => {
  const app = await startSso({ settings: { hasCode: true }, entryPoint: { allowedGroups: ['silver'] } })
  const { code } = await issueCode(app)
  const refused = await type(app, code)
  expect([refused.status, refused.setCookies, refused.location]).toEqual([403, [], undefined])
  expect((await type(app, code)).status).toBe(401)
})

test('a code ends after three minutes', async () => {
  const clock = { seconds: Date.now() / 1000 }
  const flows = createMemoryFlows(() => clock.seconds)
  const app = await startSso({ settings: { hasCode: true }, changeSso: (sso) => ({ ...sso, flows }) })
  const one = await issueCode(app)
  const other = await issueCode(app)
  clock.seconds += 179
  expect((await type(app, one.code)).status).toBe(303)
  clock.seconds += 1
  expect((await type(app, other.code)).status).toBe(401)
})

test.each(['result', 'state'] as const)('the key of a %s is not a code', async (kind) => {
  const app = await startSso({ settings: { hasCode: true } })
  const window = await openWindow(app)
  const callback = new URL(await visitProvider(window.address), app.origin)
  if (kind === 'result') await app.get(`${callback.pathname}${callback.search}`, { Cookie: window.cookie })
  const secret = kind === 'result' ? window.wait : (callback.searchParams.get('state') ?? '')
  expect((await type(app, secret.slice(0, 40))).status).toBe(401)
  expect((await type(app, secret)).status).toBe(401)
})

test('a proxy in front shares no tries between viewers, and X-Forwarded-For of a client gains none', async () => {
  const app = await startSso({ settings: { hasCode: true }, trustProxyHops: 1 })
  const guess = (address: string) =>
    app.post('/sso/code', { code: 'AAAAAAAA' }, { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': address })
  // The proxy appends the address that it sees to what the client wrote.
  const guesses = Array.from({ length: 100 }, (_, index) => guess(`203.0.113.${index}, 198.51.100.7`))
  await Promise.all(guesses)
  expect((await guess('203.0.113.200, 198.51.100.7')).status).toBe(429)
  expect((await guess('198.51.100.8')).status).toBe(401)
  expect((await guess('2001:db8::1')).status).toBe(401)
})

test('parallel guesses get no more tries than guesses one by one', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const answers = await Promise.all(Array.from({ length: 150 }, () => type(app, 'AAAAAAAA')))
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(100)
})

test('the page on the other device sends its origin, and no page may frame it', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { page, done } = await issueCode(app)
  expect(page.headers['referrer-policy']).toBe('same-origin')
  for (const { headers } of [page, done]) {
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['content-security-policy']).not.toContain('script-src')
  }
})

test('a code works only at its entry point', async () => {
  const app = await startSso({
    entryPointsWith: (sso) => ['one', 'two'].map((name) => withSso({ ...sso, hasCode: true }, entryPointAt(name))),
  })
  const { code } = await issueCode(app, '/e/one')
  expect((await type(app, code, '/e/two')).status).toBe(401)
})

test('a network has 100 wrong tries in ten minutes, and a right one does not count', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  expect((await type(app, (await issueCode(app)).code)).status).toBe(303)
  const statuses: number[] = []
  for (let tries = 0; tries < 101; tries += 1) statuses.push((await type(app, 'AAAAAAAA')).status)
  expect([new Set(statuses.slice(0, 100)), statuses[100]]).toEqual([new Set([401]), 429])
})

test('a code from another page is refused', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { code } = await issueCode(app)
  expect((await app.post('/sso/code', { code }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
  expect((await type(app, code)).status).toBe(303)
})

test('posts of another page use up no tries of the network', async () => {
  const app = await startSso({ settings: { hasCode: true } })
  const { code } = await issueCode(app)
  const foreign = () => app.post('/sso/code', { code: 'AAAAAAAA' }, { 'Sec-Fetch-Site': 'cross-site' })
  const answers = await Promise.all(Array.from({ length: 110 }, foreign))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
  expect((await type(app, code)).status).toBe(303)
})

test('while the store of codes is away, a code opens nothing, and the tries are still limited', async () => {
  const away = () => Promise.reject(new UpstreamError('sso-store', 'Redis does not answer'))
  const settings = { hasCode: true }
  const app = await startSso({ settings, changeSso: (sso) => ({ ...sso, flows: { ...sso.flows, take: away } }) })
  const answers = await Promise.all(Array.from({ length: 101 }, () => type(app, 'AAAAAAAA')))
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(100)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  expect(answers.flatMap(({ setCookies }) => setCookies)).toEqual([])
  expect(app.lines.map(({ outcome }) => outcome)).toEqual(['sso-failed', 'held-back'])
})

test('without SSO_CODE there is neither a page nor a code', async () => {
  const app = await startSso()
  expect((await app.get('/sso')).status).toBe(404)
  expect((await type(app, 'AAAAAAAA')).status).toBe(404)
  expect((await app.post('/sso/start', { flow: '' }, startHeaders(app))).status).toBe(400)
  expect((await app.get('/?prompt=code')).text).not.toContain('name="code"')
})
