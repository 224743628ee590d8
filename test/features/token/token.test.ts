import { expect, test } from 'vitest'
import { OverloadedError, UpstreamError } from '../../../src/errors.ts'
import { errorText, textsOf } from '../../../src/languages/languages.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { hiddenFieldsOf } from '../../login/hidden-fields.ts'
import { STORE_DOWN } from '../../login/memory-users.ts'
import { expectRefused } from '../../login/refused-answer.ts'
import { responseOf } from '../../login/response-of.ts'
import { cookieIn, expectScreen, signIn } from '../../login/signed-in.ts'
import { ADA, type Answer, formOf, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { asking } from '../ask-returning/asking.ts'
import { TOKEN_ENTRY_POINT } from './entry-point.ts'
import { REF, startTokenApp, tokenIn } from './start-token-app.ts'

const SCREEN = `/?${formOf({ ref: REF })}`
const FORM = { ...ADA, ref: REF }
const NO_KEY = new UpstreamError('service-keys', 'INTERNAL no key')

const reasonOf = ({ text }: Answer) => /<meta name="reason" content="([^"]*)">/.exec(text)?.[1]
const policyOf = ({ headers }: Answer) => headers['content-security-policy']

test('the screen carries ref in every form, and allows its origin for the redirect', async () => {
  const app = await startTokenApp()
  const screen = await app.get(SCREEN)
  expectScreen(screen)
  expect(hiddenFieldsOf(screen)).toEqual([
    { action: '/sign-in', fields: { ref: REF } },
    { action: '/cancel', fields: { ref: REF } },
  ])
  expect(policyOf(screen)).toContain("form-action 'self' https://player.example;")
  expect(policyOf(screen)).toContain('frame-ancestors https://player.example https://customer.example')
})

test('a right password leads to ref, whose query stays as it is, with a token that the service accepts', async () => {
  const app = await startTokenApp()
  const answer = await app.post('/sign-in', FORM)
  expect(answer).toMatchObject({ status: 303, text: '' })
  expect(await tokenIn(answer.location)).toEqual({ address: REF, subject: ADA.username })
  expect(answer.location).not.toContain('hash=')
})

test('the script gets the address with the token after a right password only', async () => {
  const app = await startTokenApp()
  const accept = { Accept: 'application/json' }
  const answer = await app.post('/sign-in', FORM, accept)
  expect((await tokenIn(JSON.parse(answer.text).location)).subject).toBe(ADA.username)
  const returning = await app.get(SCREEN, { ...accept, Cookie: cookieIn(answer) })
  expect(returning.status).toBe(303)
})

test('a wrong password shows the form again, with ref', async () => {
  const app = await startTokenApp()
  const answer = await app.post('/sign-in', { ...FORM, password: 'wrong' })
  expectRefused(answer, 401)
  expect(hiddenFieldsOf(answer)[0]?.fields).toEqual({ ref: REF })
  expect(policyOf(answer)).toContain("form-action 'self' https://player.example;")
})

test('a viewer with a session passes at each reload, each time with a new token', async () => {
  const app = await startTokenApp()
  const Cookie = await signIn(app, FORM)
  const locations: (string | undefined)[] = []
  for (let reload = 0; reload < 5; reload += 1) {
    app.clock.seconds += 3
    const { status, location } = await app.get(SCREEN, { Cookie })
    expect(status).toBe(303)
    expect(await tokenIn(location, app.clock.seconds)).toEqual({ address: REF, subject: ADA.username })
    locations.push(location)
  }
  expect(new Set(locations).size).toBe(5)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'returned', viewer: ADA.username })
})

test('a returning viewer who is asked first continues with a token', async () => {
  const entryPoint = asking(TOKEN_ENTRY_POINT)
  const app = await startTokenApp({ entryPoints: [entryPoint] })
  const { setCookies } = await app.post('/sign-in', FORM)
  const Cookie = setCookies.find((cookie) => cookie.startsWith('__Host-viewer='))?.split(';')[0] ?? ''
  const asked = await app.get(SCREEN, { Cookie })
  expect(asked.status).toBe(200)
  const [first] = hiddenFieldsOf(asked)
  expect(first).toMatchObject({ action: '/continue', fields: { ref: REF } })
  const answer = await app.post('/continue', first?.fields ?? {}, { Cookie })
  expect((await tokenIn(answer.location)).subject).toBe(ADA.username)
})

test('a viewer whom the player sends back at once ends in a screen after four tokens, and in a log line', async () => {
  const app = await startTokenApp()
  const Cookie = await signIn(app, FORM)
  const statuses: number[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    app.clock.seconds += 0.3
    statuses.push((await app.get(SCREEN, { Cookie })).status)
  }
  expect(statuses).toEqual([303, 303, 303, 409, 409])
  // The service may have changed its keys.
  expect(app.issuer.refetches).toBe(2)
  const looping = await app.get(SCREEN, { Cookie })
  expectRefused(looping, 409)
  expect(looping.text).toContain(textsOf('en').titles.loop)
  expect(looping.text).not.toContain('action="/cancel"')
  expect(app.lines.findLast(({ outcome }) => outcome === 'looping')?.reason).toMatch(/public key.*clocks/)
  app.clock.seconds += 10
  expect((await app.get(SCREEN, { Cookie })).status).toBe(303)
})

test('a cancel ends in a screen with the way back to the form, not in a redirect', async () => {
  const app = await startTokenApp()
  const answer = await app.post('/cancel', { ref: REF })
  expect(answer).toMatchObject({ status: 200, location: undefined })
  expect(reasonOf(answer)).toBe('cancelled')
  expect(answer.text).toContain(`<title>${textsOf('en').titles.cancelled}</title>`)
  expect(answer.text).toContain(`<p role="status" dir="auto" tabindex="-1">${errorText('en', 'cancelled')}</p>`)
  const [, way = ''] = /<a class="primary" href="([^"]*)">/.exec(answer.text) ?? []
  expect(answer.text).not.toContain('<form')
  expectScreen(await app.get(way))
  expect(hiddenFieldsOf(await app.get(way))[0]?.fields).toEqual({ ref: REF })
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'cancelled' })
})

test.each([
  ['no fields of the player', {}],
  ['the fields for a hash', { hashConsumer: 'https://player.example/embed/1', ustreamContentType: 'live' }],
])('a request with %s is refused everywhere, because ref is missing', async (_case, fields) => {
  const app = await startTokenApp()
  const Cookie = await signIn(app, FORM)
  const form: Record<string, string> = { ...fields }
  for (const answer of [
    await app.get('/', { Cookie }),
    await app.get(`/?${formOf(form)}`, { Cookie }),
    await app.post('/sign-in', { ...ADA, ...form }),
    await app.post('/continue', form, { Cookie }),
    await app.post('/cancel', form),
    await app.post('/sign-out', form, { Cookie }),
  ]) {
    expectRefused(answer, 400)
    expect(reasonOf(answer)).toBe('missing-ref')
    // Without ref, every address of ours is refused too.
    expect(answer.text).not.toMatch(/<a |<button/)
  }
  expect(app.users.asked).toHaveLength(1)
})

test('a ref that comes back with our token ends in a screen that says so', async () => {
  const app = await startTokenApp()
  const { location = '' } = await app.post('/sign-in', FORM)
  const answer = await app.get(`/?${formOf({ ref: location })}`)
  expectRefused(answer, 400)
  expect(reasonOf(answer)).toBe('refused-token')
  expect(answer.text).not.toMatch(/<a |<button/)
  expect(answer.text).toContain(textsOf('en').titles.loop)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'refused-request', reason: 'ref already has a parameter "vt"' })
})

test('a channel and a language beside ref are kept, and reach no redirect', async () => {
  const app = await startTokenApp()
  const fields = { ref: REF, ustreamContentType: 'recorded', ustreamContentId: '7', lang: 'de' }
  const screen = await app.get(`/?${formOf(fields)}`)
  expect(hiddenFieldsOf(screen)[0]?.fields).toEqual(fields)
  const { location } = await app.post('/sign-in', { ...ADA, ...fields })
  expect((await tokenIn(location)).address).toBe(REF)
})

test('the token names the viewer by the attribute of the settings, also with a "|"', async () => {
  const parameters = [{ name: 'sub', attribute: 'member' }]
  const app = await startTokenApp({ entryPoints: [{ ...TOKEN_ENTRY_POINT, parameters }] })
  app.users.add('bob', 'pw', { attributes: { member: 'auth0|4711' } })
  const { location } = await app.post('/sign-in', { ref: REF, username: 'bob', password: 'pw' })
  expect((await tokenIn(location)).subject).toBe('auth0|4711')
  expectRefused(await app.post('/sign-in', FORM), 403)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'unusable-attribute', attribute: 'member', reason: 'is missing' })
})

const FAULTS = [
  ['without a key of the service', NO_KEY, 'store-down', '30', 'failed'],
  ['with a full queue', new OverloadedError('full', 2), 'overloaded', '2', 'overloaded'],
] as const

test.each(FAULTS)(
  '%s, a sign-in gives 503 before the password is checked, and works again afterwards',
  async (...row) => {
    const [, fault, reason, retryAfter, outcome] = row
    const app = await startTokenApp()
    app.issuer.fault = fault
    const answer = await app.post('/sign-in', FORM)
    expectRefused(answer, 503)
    expect(reasonOf(answer)).toBe(reason)
    expect(answer.headers['retry-after']).toBe(retryAfter)
    expect(answer.text).not.toContain('INTERNAL')
    expect(hiddenFieldsOf(answer)[0]?.fields).toEqual({ ref: REF })
    expect(app.users.asked).toEqual([])
    expect(app.lines.at(-1)).toMatchObject({ outcome, viewer: ADA.username, status: 503 })
    app.issuer.fault = null
    expect((await app.post('/sign-in', FORM)).status).toBe(303)
  },
)

test.each(FAULTS)('%s, a returning viewer gets 503 and keeps the session', async (...row) => {
  const [, fault, reason, retryAfter, outcome] = row
  const app = await startTokenApp()
  const Cookie = await signIn(app, FORM)
  app.issuer.fault = fault
  const answer = await app.get(SCREEN, { Cookie })
  expectRefused(answer, 503)
  expect(reasonOf(answer)).toBe(reason)
  expect(answer.headers['retry-after']).toBe(retryAfter)
  expect(answer.text).toContain('<a class="primary" href="/?ref=')
  const { requestId, ...line } = app.lines.at(-1) ?? expect.unreachable()
  expect(line).toMatchObject({ outcome, status: 503 })
  // An overload does not have a line for each request, so its screen refers to none.
  expect(answer.text.includes(String(requestId))).toBe(outcome === 'failed')
  app.issuer.fault = null
  expect((await app.get(SCREEN, { Cookie })).status).toBe(303)
})

test('a viewer who may not watch gets no token, nor does any viewer while the user store is down', async () => {
  const app = await startTokenApp({ entryPoints: [{ ...TOKEN_ENTRY_POINT, allowedGroups: ['gold'] }] })
  expectRefused(await app.post('/sign-in', FORM), 403)
  app.users.fail(STORE_DOWN)
  expectRefused(await app.post('/sign-in', FORM), 503)
})

test.each<[string, [string, unknown][]]>([
  ['no sub', [['user', 'ada']]],
  ['a sub that is a number', [['sub', 4711]]],
])('a policy that gives %s ends in an error screen, without a token and a session', async (_case, parameters) => {
  const decideAccess = () => ({ ok: true, parameters: parameters as [string, string][] }) as const
  const app = await startTokenApp({ accessPolicy: { decideAccess, timeoutMs: 1000 } })
  const answer = await app.post('/sign-in', FORM)
  expectRefused(answer, 500)
  expect(answer.setCookies).toEqual([])
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'failed', status: 500 })
})

test.each([
  ['empty', ''],
  ['with a line end', 'ada\r\nX: y'],
  ['of 256 bytes', `${'ü'.repeat(127)}xx`],
])('a policy that gives a sub that is %s ends in a refusal, without a token and a session', async (_case, sub) => {
  const decideAccess = () => ({ ok: true, parameters: [['sub', sub]] }) as const
  const app = await startTokenApp({ accessPolicy: { decideAccess, timeoutMs: 1000 } })
  const answer = await app.post('/sign-in', FORM)
  expectRefused(answer, 403)
  expect(answer.setCookies).toEqual([])
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'unusable-attribute', attribute: 'username' })
})

test('no log line contains a token, a key, the query of ref or a subject that is not the user name', async () => {
  const parameters = [{ name: 'sub', attribute: 'member' }]
  const app = await startTokenApp({ entryPoints: [{ ...TOKEN_ENTRY_POINT, parameters }] })
  app.users.add('bob', 'pw', { attributes: { member: 'member-4711' } })
  const Cookie = await signIn(app, { ref: REF, username: 'bob', password: 'pw' })
  const { location = '' } = await app.get(SCREEN, { Cookie })
  await app.get(`/?${formOf({ ref: location })}`)
  app.issuer.fault = NO_KEY
  await app.get(SCREEN, { Cookie })
  app.issuer.fault = null
  app.users.add('bob', 'pw', { attributes: { member: 'member-4711\n' } })
  await app.get(SCREEN, { Cookie })
  const outcomes = app.lines.map(({ outcome }) => outcome)
  expect(outcomes).toEqual(['signed-in', 'returned', 'refused-request', 'failed', 'unusable-attribute'])
  expect(JSON.stringify(app.lines)).not.toMatch(/eyJ|vt=|%20\+~|PRIVATE KEY|member-4711/)
})

test('an entry point with a hash ignores ref, and answers with a hash to its own address', async () => {
  const token = { ...TOKEN_ENTRY_POINT, name: 'token', basePath: '/e/token' }
  const app = await startTokenApp({ entryPoints: [ENTRY_POINT, token] })
  const { location } = await app.post('/sign-in', FORM)
  expect(responseOf(location).address).toBe(ENTRY_POINT.playerAddress.url)
  expect(location).not.toContain('vt=')
  const other = await app.post('/e/token/sign-in', FORM)
  expect(await tokenIn(other.location, START_SECONDS)).toEqual({ address: REF, subject: ADA.username })
})

test('an app with a token entry point and without the feature does not start', async () => {
  await expect(startLoginApp({ entryPoints: [TOKEN_ENTRY_POINT], features: [] })).rejects.toThrow('needs token')
})
