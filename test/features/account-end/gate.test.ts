import { expect, test } from 'vitest'
import { accountEndOf } from '../../../src/features/account-end/account-end.ts'
import { parseAllowedAddress } from '../../../src/hash-lock/return-address.ts'
import { LANGUAGES, textsOf } from '../../../src/languages/languages.ts'
import { CONSUMER, ENTRY_POINT } from '../../login/entry-point.ts'
import { responseOf } from '../../login/response-of.ts'
import { signIn } from '../../login/signed-in.ts'
import { ADA, type Answer, formOf, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { tokenEntryPoint } from '../token/entry-point.ts'
import { startTokenApp, tokenIn } from '../token/start-token-app.ts'

const HOUR = 3600
const END = START_SECONDS + HOUR / 2
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

type App = Awaited<ReturnType<typeof startLoginApp>>

function setEnd(
  { users }: Pick<App, 'users'>,
  accountEndsAt: string,
  more: Readonly<Record<string, string>> = {},
): void {
  users.add(ADA.username, ADA.password, { attributes: { accountEndsAt, ...more } })
}

function expectRefused({ lines }: Pick<App, 'lines'>, answer: Answer, code: string): void {
  expect([answer.status, answer.location, answer.setCookies]).toEqual([403, undefined, []])
  expect(answer.text).not.toMatch(/hash=|vt=/)
  expect(lines.at(-1)).toMatchObject({ outcome: 'not-entitled', code, viewer: ADA.username })
}

test('after the end, a viewer with the right password learns when the account ended', async () => {
  const app = await startLoginApp()
  setEnd(app, '2033-05-18T05:30:00+02:00')
  const answer = await app.post('/sign-in', ADA, { 'Accept-Language': 'de' })
  expectRefused(app, answer, 'account-ended')
  expect(answer.text).toContain('Ihr Konto ist abgelaufen. Ende: Mittwoch, 18. Mai 2033 um 05:30 GMT+2.')
  expect(answer.text).toContain('Anderes Konto')
})

test('a wrong password learns nothing of an end', async () => {
  const app = await startLoginApp()
  setEnd(app, iso(START_SECONDS - 1))
  const answer = await app.post('/sign-in', { ...ADA, password: 'wrong' })
  expect(answer.status).toBe(401)
  expect(answer.text).not.toContain('ended')
})

test.each(LANGUAGES)('an account that has ended says so in the language %s', async (language) => {
  const app = await startLoginApp()
  const headers = { 'Accept-Language': language }
  setEnd(app, iso(START_SECONDS))
  const ended = await app.post('/sign-in', ADA, headers)
  expect(ended.text).toContain('2033')
  expect(ended.text).not.toContain('{time}')
  setEnd(app, 'soon')
  expect((await app.post('/sign-in', ADA, headers)).text).toContain(textsOf(language)['account-end'].unreadable)
})

test('a response expires with the account, also if responses never expire', async () => {
  for (const lifetimeSeconds of [HOUR, 0]) {
    const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, lifetimeSeconds }] })
    setEnd(app, iso(END))
    const { location } = await app.post('/sign-in', ADA)
    expect(responseOf(location).expiresAtSeconds).toBe(END)
  }
})

test('an end after the lifetime of the response changes nothing', async () => {
  const app = await startLoginApp()
  setEnd(app, iso(START_SECONDS + 2 * HOUR))
  expect(responseOf((await app.post('/sign-in', ADA)).location).expiresAtSeconds).toBe(START_SECONDS + HOUR)
})

test.each([{}, { hashConsumer: `${CONSUMER}authorize/1` }])(
  'a session from before the end gets no response after it, with %j',
  async (fields) => {
    const app = await startLoginApp()
    setEnd(app, iso(END))
    const Cookie = await signIn(app)
    app.clock.seconds = END - 1
    expect(responseOf((await app.get(`/?${formOf(fields)}`, { Cookie })).location).expiresAtSeconds).toBe(END)
    app.clock.seconds = END
    expectRefused(app, await app.get(`/?${formOf(fields)}`, { Cookie }), 'account-ended')
  },
)

test('an end that is set while a viewer has a session counts at the next return', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  setEnd(app, iso(START_SECONDS - 1))
  expectRefused(app, await app.get('/', { Cookie }), 'account-ended')
})

test('a token ends with the account, and a ref gets none after it', async () => {
  const ref = `${CONSUMER}1234`
  const app = await startTokenApp({ entryPoints: [tokenEntryPoint({ refAddresses: [parseAllowedAddress(CONSUMER)] })] })
  setEnd(app, iso(END))
  app.clock.seconds = END - 10
  const { location } = await app.post('/sign-in', { ...ADA, ref })
  await expect(tokenIn(location, END)).rejects.toThrow()
  expect((await tokenIn(location, END - 1)).subject).toBe(ADA.username)
  app.clock.seconds = END
  expectRefused(app, await app.post('/sign-in', { ...ADA, ref }), 'account-ended')
})

test.each([
  'soon',
  '',
  '2033-05-18',
  '2033-05-18T05:30',
  '2033-02-30T05:30Z',
  '1999999999',
  'never',
  '133536844000000000',
])('the end %j cannot be read, so the viewer is refused', async (text) => {
  const app = await startLoginApp()
  setEnd(app, text)
  expectRefused(app, await app.post('/sign-in', ADA), 'account-end-unreadable')
})

test('an attribute that differs in upper and lower case counts too, and the earliest end wins', async () => {
  const app = await startLoginApp()
  setEnd(app, iso(END), { accountendsat: iso(START_SECONDS) })
  expectRefused(app, await app.post('/sign-in', ADA), 'account-ended')
  setEnd(app, iso(END), { accountendsat: 'soon' })
  expectRefused(app, await app.post('/sign-in', ADA), 'account-end-unreadable')
})

test.each([
  ['2026-11-30T23:59:59+01:00', '2026-11-30T22:59:59Z', '+01:00'],
  ['2026-11-30T23:59:59.999Z', '2026-11-30T23:59:59Z', 'UTC'],
  // PostgreSQL, as text and as JSON.
  ['2026-11-30 23:59:59.5+01', '2026-11-30T22:59:59Z', '+01:00'],
  ['2026-11-30T23:59:59+05:30', '2026-11-30T18:29:59Z', '+05:30'],
  // LDAP.
  ['20261130235959Z', '2026-11-30T23:59:59Z', 'UTC'],
  ['202611302359-0500', '2026-12-01T04:59:00Z', '-05:00'],
  ['20261130235959.0Z', '2026-11-30T23:59:59Z', 'UTC'],
])('the end %s is %s in the zone %s', (accountEndsAt, utc, zone) => {
  expect(accountEndOf({ accountEndsAt })).toMatchObject({ seconds: Date.parse(utc) / 1000, zone })
})

test('a viewer without an end passes', async () => {
  const app = await startLoginApp()
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})
