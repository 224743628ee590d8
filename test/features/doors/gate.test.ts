import { expect, test } from 'vitest'
import { parseAllowedAddress } from '../../../src/hash-lock/return-address.ts'
import { LANGUAGES, textsOf } from '../../../src/languages/languages.ts'
import { CONSUMER, ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { responseOf } from '../../login/response-of.ts'
import { signIn } from '../../login/signed-in.ts'
import { ADA, type Answer, formOf, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { tokenEntryPoint } from '../token/entry-point.ts'
import { startTokenApp, tokenIn } from '../token/start-token-app.ts'
import { withDoors } from './entry-point.ts'

const HOUR = 3600
const OPENS = START_SECONDS + HOUR
const CLOSES = OPENS + 2 * HOUR
const EVENING = { windows: [{ opensAtSeconds: OPENS, closesAtSeconds: CLOSES }] }
const UNTIL = { windows: [{ opensAtSeconds: null, closesAtSeconds: OPENS }] }
const entryPoints = [withDoors(ENTRY_POINT, EVENING)]

const reasonOf = ({ text }: Answer) => /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]
function expectClosed(answer: Answer, reason: string): void {
  expect([answer.status, answer.location, reasonOf(answer)]).toEqual([403, undefined, reason])
  expect(answer.setCookies).toEqual([])
  expect(answer.text).not.toMatch(/hash=|vt=/)
}

test('before the door, a viewer with the right password learns when it opens, and can try again', async () => {
  const app = await startLoginApp({ entryPoints: [withDoors(ENTRY_POINT, { ...EVENING, timeZone: 'Europe/Berlin' })] })
  const answer = await app.post('/sign-in', ADA, { 'Accept-Language': 'de' })
  expectClosed(answer, 'not-open-yet')
  expect(answer.text).toContain('<h1>Noch nicht geöffnet</h1>')
  expect(answer.text).toContain('Einlass heute ab 06:33 MESZ.')
  expect(answer.text).toContain('Erneut prüfen')
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-entitled', code: 'not-open-yet', viewer: ADA.username })
})

test('a wrong password learns nothing of the door', async () => {
  const app = await startLoginApp({ entryPoints })
  const answer = await app.post('/sign-in', { ...ADA, password: 'wrong' })
  expect([answer.status, reasonOf(answer)]).toEqual([401, 'wrong-credentials'])
})

test.each([
  ['https://www.example.com/recording', true],
  [null, false],
])('after the end, a viewer learns that it is over, with the link %s', async (overUrl, isShown) => {
  const app = await startLoginApp({ entryPoints: [withDoors(ENTRY_POINT, { ...EVENING, overUrl })] })
  app.clock.seconds = CLOSES
  const answer = await app.post('/sign-in', ADA)
  expectClosed(answer, 'over')
  expect(answer.text).toContain('<h1>This event has ended</h1>')
  expect(answer.text.includes('href="https://www.example.com/recording"')).toBe(isShown)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-entitled', code: 'over' })
})

test.each(LANGUAGES)('the screens of a closed door are in the language %s', async (language) => {
  const app = await startLoginApp({ entryPoints })
  const headers = { 'Accept-Language': language }
  const { notOpenYetTitle, overTitle } = textsOf(language).doors
  const early = await app.post('/sign-in', ADA, headers)
  expect(early.text).toContain(`<h1>${notOpenYetTitle}</h1>`)
  expect(early.text).not.toMatch(/2033|\{time\}/)
  app.clock.seconds = OPENS - 30 * HOUR
  expect((await app.post('/sign-in', ADA, headers)).text).toContain('2033')
  app.clock.seconds = CLOSES
  const late = await app.post('/sign-in', ADA, headers)
  expect(late.text).toContain(`<h1>${overTitle}</h1>`)
})

test.each([
  ['Asia/Tokyo', 0, 'It opens today at 1:33 PM GMT+9.'],
  ['America/New_York', 0, 'It opens on Wednesday, May 18, 2033 at 12:33 AM EDT.'],
  ['America/New_York', 40 * 60, 'It opens today at 12:33 AM EDT.'],
])('the day in %s, %i s later, decides if the screen says today', async (timeZone, later, sentence) => {
  const app = await startLoginApp({ entryPoints: [withDoors(ENTRY_POINT, { ...EVENING, timeZone })] })
  app.clock.seconds += later
  expect((await app.post('/sign-in', ADA)).text).toContain(sentence)
})

test('a closed door is not an error: its screen has no alert, and no such title', async () => {
  const app = await startLoginApp({ entryPoints })
  const { text } = await app.post('/sign-in', ADA)
  expect(text).toContain('<title>This event hasn’t started yet</title>')
  expect(text).not.toContain('role="alert"')
})

test('a response expires with the door, also if responses never expire', async () => {
  const forever = { ...ENTRY_POINT, lifetimeSeconds: 0 }
  for (const entryPoint of [ENTRY_POINT, forever]) {
    const app = await startLoginApp({ entryPoints: [withDoors(entryPoint, EVENING)] })
    app.clock.seconds = CLOSES - 60
    const { location } = await app.post('/sign-in', ADA)
    expect(responseOf(location).expiresAtSeconds).toBe(CLOSES)
  }
})

test('a response of an open door without an end has its own lifetime', async () => {
  const windows = [{ opensAtSeconds: START_SECONDS, closesAtSeconds: null }]
  const app = await startLoginApp({ entryPoints: [withDoors(ENTRY_POINT, { windows })] })
  const { location } = await app.post('/sign-in', ADA)
  expect(responseOf(location).expiresAtSeconds).toBe(START_SECONDS + HOUR)
})

test('the door of one entry point closes no other', async () => {
  const app = await startLoginApp({ entryPoints: [...entryPoints, entryPointAt('open')] })
  expectClosed(await app.post('/sign-in', ADA), 'not-open-yet')
  expect((await app.post('/e/open/sign-in', ADA)).status).toBe(303)
})

test('a hashConsumer is behind the door', async () => {
  const app = await startLoginApp({ entryPoints })
  expectClosed(await app.post('/sign-in', { ...ADA, hashConsumer: `${CONSUMER}authorize/1` }), 'not-open-yet')
})

/** A session from before, through another entry point, or from before the end. */
test.each([
  ['GET', {}],
  ['GET', { hashConsumer: `${CONSUMER}authorize/1` }],
  ['POST', {}],
  ['POST', { hashConsumer: `${CONSUMER}authorize/1` }],
] as const)('a session of another entry point comes not through the door by %s, %j', async (method, fields) => {
  const closed = withDoors(ENTRY_POINT, EVENING)
  const app = await startLoginApp({ entryPoints: [closed, entryPointAt('open')] })
  const answer = await app.post('/e/open/sign-in', ADA)
  const Cookie = answer.setCookies.map((cookie) => cookie.split(';')[0]).join('; ')
  const path = method === 'GET' ? `/?${formOf(fields)}` : '/continue'
  expectClosed(await app.send(method, path, { Cookie }, method === 'GET' ? undefined : fields), 'not-open-yet')
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-entitled', code: 'not-open-yet' })
})

test('a session from before the end gets no response after it, nor after the clock was set right', async () => {
  const app = await startLoginApp({ entryPoints: [withDoors(ENTRY_POINT, UNTIL)] })
  const Cookie = await signIn(app)
  expect(responseOf((await app.get('/', { Cookie })).location).expiresAtSeconds).toBe(OPENS)
  app.clock.seconds = OPENS
  expectClosed(await app.get('/', { Cookie }), 'over')
  app.clock.seconds = OPENS - 10
  expect(responseOf((await app.get('/', { Cookie })).location).expiresAtSeconds).toBe(OPENS)
})

test('a ref of a token is behind the door, and its token ends with the door', async () => {
  const ref = `${CONSUMER}1234`
  const entryPoint = withDoors(tokenEntryPoint({ refAddresses: [parseAllowedAddress(CONSUMER)] }), EVENING)
  const app = await startTokenApp({ entryPoints: [entryPoint] })
  expectClosed(await app.post('/sign-in', { ...ADA, ref }), 'not-open-yet')
  app.clock.seconds = CLOSES - 10
  const answer = await app.post('/sign-in', { ...ADA, ref })
  const Cookie = answer.setCookies.map((cookie) => cookie.split(';')[0]).join('; ')
  // A token of a minute is built as if it were 50 s old.
  expect((await tokenIn(answer.location, CLOSES - 1)).subject).toBe(ADA.username)
  await expect(tokenIn(answer.location, CLOSES)).rejects.toThrow()
  app.clock.seconds = CLOSES
  expectClosed(await app.get(`/?${formOf({ ref })}`, { Cookie }), 'over')
})

test.each([
  ['before the opening', OPENS - HOUR, 'Check again'],
  ['after the end', CLOSES, 'Back to the video'],
])('%s, the main button of the closed door is "%3$s"', async (_when, seconds, words) => {
  const app = await startLoginApp({ entryPoints })
  app.clock.seconds = seconds
  const { text } = await app.post('/sign-in', ADA)
  expect(/class="primary"[^>]*>([^<]*)</.exec(text)?.[1]).toBe(words)
})

test('a closed door names its event: EVENT_NAME, else BRAND_TITLE', async () => {
  const nameIn = async (brand: object, features: object) => {
    const entryPoint = withDoors({ ...ENTRY_POINT, brand: { ...ENTRY_POINT.brand, ...brand } }, EVENING)
    const app = await startLoginApp({
      entryPoints: [{ ...entryPoint, features: { ...entryPoint.features, ...features } }],
    })
    return /class="event"[^>]*>([^<]*)</.exec((await app.post('/sign-in', ADA, { 'Accept-Language': 'de' })).text)?.[1]
  }
  const event = { en: 'Annual meeting', de: 'Hauptversammlung' }
  expect(await nameIn({ title: 'Watch the meeting' }, { event })).toBe('Hauptversammlung')
  expect(await nameIn({}, { event: { fr: 'Assemblée générale' } })).toBe('Assemblée générale')
  expect(await nameIn({ title: 'Watch the meeting' }, {})).toBe('Watch the meeting')
  expect(await nameIn({}, {})).toBeUndefined()
})
