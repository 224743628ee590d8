import { expect, test } from 'vitest'
import { parseAllowedConsumer } from '../../../src/hash-lock/return-address.ts'
import { LANGUAGES, textsOf } from '../../../src/languages/languages.ts'
import { CONSUMER, ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { cookieIn, goesOn, signIn } from '../../login/signed-in.ts'
import { ADA, formOf, type LoginApp, startLoginApp } from '../../login/start-login-app.ts'
import { withScreenLimit } from './entry-point.ts'
import { expectOther, OWN_PAGE, returnOf } from './visits.ts'

const entryPoints = [withScreenLimit(ENTRY_POINT)]
const watchHere = (app: LoginApp, Cookie: string, headers = {}, path = '/watch-here') =>
  app.post(path, {}, { Cookie, ...OWN_PAGE, ...headers })

/** Starts an app on which Ada watches on a second device. Returns the cookies of both. */
async function onTwoDevices(options: Parameters<typeof startLoginApp>[0] = { entryPoints }) {
  const app = await startLoginApp(options)
  return { app, first: await signIn(app), second: await signIn(app) }
}

test('the newest screen wins, and the other learns at its return why it stopped', async () => {
  const { app, first, second } = await onTwoDevices()
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'took-over', viewer: ADA.username })
  const answer = await returnOf(app, first)
  expectOther(answer)
  expect(answer.text).toContain('<h1>You’re watching on another device</h1>')
  expect(answer.text).toContain('role="status"')
  expect(answer.text).toContain('action="/watch-here"')
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'other-screen', viewer: ADA.username, level: 30 })
  expect(goesOn(await returnOf(app, second))).toBe(true)
})

test('a viewer who chooses to watch here is the newest', async () => {
  const { app, first, second } = await onTwoDevices()
  expectOther(await returnOf(app, first))
  expect(goesOn(await watchHere(app, first))).toBe(true)
  expect(goesOn(await returnOf(app, first))).toBe(true)
  expectOther(await returnOf(app, second))
})

test('two tabs of one browser count once, and a viewer may have several screens', async () => {
  const { app, first, second } = await onTwoDevices({ entryPoints: [withScreenLimit(ENTRY_POINT, { most: 2 })] })
  for (const cookie of [first, first, second, second]) expect(goesOn(await returnOf(app, cookie))).toBe(true)
  const third = await signIn(app)
  app.clock.seconds += 20
  expectOther(await returnOf(app, first))
  for (const cookie of [second, third]) expect(goesOn(await returnOf(app, cookie))).toBe(true)
})

test('a new sign-in of the same browser takes no second place', async () => {
  const { app, first, second } = await onTwoDevices({ entryPoints: [withScreenLimit(ENTRY_POINT, { most: 2 })] })
  const again = cookieIn(await app.post('/sign-in', ADA, { Cookie: second }))
  expect(again).not.toBe(second)
  for (const cookie of [first, again]) expect(goesOn(await returnOf(app, cookie))).toBe(true)
})

test('a place lasts as long as a response and a few seconds, and is then free for a return', async () => {
  const { app, first, second } = await onTwoDevices()
  app.clock.seconds += 3604
  expectOther(await returnOf(app, first))
  app.clock.seconds += 1
  expect(goesOn(await returnOf(app, first))).toBe(true)
  expectOther(await returnOf(app, second))
})

test('a returning viewer keeps the place', async () => {
  const { app, first, second } = await onTwoDevices()
  for (let hour = 0; hour < 3; hour += 1) {
    app.clock.seconds += 3600
    expect(goesOn(await returnOf(app, second))).toBe(true)
    expectOther(await returnOf(app, first))
  }
})

const CHAT = `${CONSUMER}chat/`
const QUESTIONS = `${CONSUMER}questions/`
test('player, chat and questions of one browser without cookies take no place from each other', async () => {
  const consumers = [CONSUMER, CHAT, QUESTIONS].map(parseAllowedConsumer)
  const app = await startLoginApp({ entryPoints: [withScreenLimit({ ...ENTRY_POINT, consumers })] })
  const player = await signIn(app)
  const chat = await signIn(app, { ...ADA, hashConsumer: `${CHAT}authorize/1` })
  const questions = await signIn(app, { ...ADA, hashConsumer: `${QUESTIONS}authorize/1` })
  for (const cookie of [player, chat, questions])
    expect(goesOn(await returnOf(app, cookie, '/'))).toBe(cookie === player)
  const otherChat = await signIn(app, { ...ADA, hashConsumer: `${CHAT}authorize/2` })
  const inChat = `/?${formOf({ hashConsumer: `${CHAT}authorize/1` })}`
  expectOther(await returnOf(app, chat, inChat))
  for (const cookie of [otherChat]) expect(goesOn(await returnOf(app, cookie, inChat))).toBe(true)
  expect(goesOn(await returnOf(app, player))).toBe(true)
})

test('each entry point counts its own screens, and others count none', async () => {
  const named = [withScreenLimit(entryPointAt('gold')), entryPointAt('open')]
  const { app, first } = await onTwoDevices({ entryPoints: [...entryPoints, ...named] })
  expect(goesOn(await returnOf(app, first, '/e/gold'))).toBe(true)
  expect(goesOn(await returnOf(app, first, '/e/open'))).toBe(true)
  expectOther(await returnOf(app, first))
  expect((await app.post('/e/open/watch-here', {}, OWN_PAGE)).status).toBe(404)
})

test('a viewer whom the access policy refuses takes no place', async () => {
  const isRefused = { now: false }
  const accessPolicy = {
    timeoutMs: 1000,
    decideAccess: () =>
      isRefused.now
        ? ({ ok: false, reason: 'not-entitled' } as const)
        : ({ ok: true, parameters: [['user', 'ada']] } as const),
  }
  const app = await startLoginApp({ entryPoints, accessPolicy })
  const first = await signIn(app)
  isRefused.now = true
  expect((await app.post('/sign-in', ADA)).status).toBe(403)
  isRefused.now = false
  expect(goesOn(await returnOf(app, first))).toBe(true)
})

test('a viewer whose player gets no parameters takes no place', async () => {
  const isUnusable = { now: false }
  const decideAccess = () => ({ ok: true, parameters: [['user', isUnusable.now ? 'a|b' : 'ada']] }) as const
  const app = await startLoginApp({ entryPoints, accessPolicy: { timeoutMs: 1000, decideAccess } })
  const first = await signIn(app)
  isUnusable.now = true
  expect((await app.post('/sign-in', ADA)).status).toBe(403)
  isUnusable.now = false
  expect(goesOn(await returnOf(app, first))).toBe(true)
})

test('a user name in another case is the same viewer', async () => {
  const app = await startLoginApp({ entryPoints })
  app.users.add('ADA@Example.com', ADA.password)
  const first = await signIn(app)
  await signIn(app, { ...ADA, username: 'ADA@Example.com' })
  expectOther(await returnOf(app, first))
})

test.each([
  ['another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
  ['another origin of the site', { Origin: 'https://www.login.example', 'Sec-Fetch-Site': 'same-site' }],
  ['a sandbox', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
])('a post of %s takes no place', async (_from, headers) => {
  const { app, first, second } = await onTwoDevices()
  expect((await watchHere(app, first, headers)).status).toBe(403)
  expectOther(await returnOf(app, first))
  expect(goesOn(await returnOf(app, second))).toBe(true)
})

test('a GET and a script take no place', async () => {
  const { app, first, second } = await onTwoDevices()
  expect((await app.get('/watch-here', { Cookie: first })).status).toBe(405)
  expect((await watchHere(app, first, { 'Sec-Fetch-Dest': 'empty' })).location).toBeUndefined()
  expect(goesOn(await returnOf(app, second))).toBe(true)
})

test('without a session, the choice leads to the sign-in screen', async () => {
  const { app } = await onTwoDevices()
  const answer = await app.post('/watch-here', { hashConsumer: `${CONSUMER}a` }, OWN_PAGE)
  expect([answer.status, answer.location]).toEqual([200, undefined])
  expect(answer.text).toContain('name="password"')
  expect(answer.text).toContain(`value="${CONSUMER}a"`)
})

test('a player that keeps sending the viewer back is a loop, also after the choice', async () => {
  const { app, first } = await onTwoDevices()
  app.clock.seconds += 20
  expect(goesOn(await watchHere(app, first))).toBe(true)
  const statuses = []
  for (let turn = 0; turn < 4; turn += 1) statuses.push((await returnOf(app, first)).status)
  expect(statuses).toEqual([303, 303, 409, 409])
  expect((await watchHere(app, first)).status).toBe(409)
})

test.each(LANGUAGES)('the screen is in the language %s', async (language) => {
  const { app, first } = await onTwoDevices()
  const { text } = await app.get('/', { Cookie: first, 'Accept-Language': language })
  const { title, stopped, watchHere: button } = textsOf(language)['screen-limit']
  for (const shown of [title, stopped, button]) expect(text).toContain(shown)
})
