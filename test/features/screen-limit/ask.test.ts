import { expect, onTestFinished, test, vi } from 'vitest'
import { textsOf } from '../../../src/languages/languages.ts'
import { openMemoryPlaces } from '../../../src/stores/places/memory-places.ts'
import type { PlaceStore } from '../../../src/stores/places/place-store.ts'
import { stores } from '../../../src/stores.ts'
import { CONSUMER, ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { STORE_DOWN } from '../../login/memory-users.ts'
import { cookieIn, goesOn, signIn } from '../../login/signed-in.ts'
import { ADA, type LoginAppOptions, startLoginApp } from '../../login/start-login-app.ts'
import { withScreenLimit } from './entry-point.ts'
import { expectOther, OWN_PAGE, returnOf } from './visits.ts'

const entryPoints = [withScreenLimit(ENTRY_POINT, { asks: true })]
const passIn = ({ text }: { readonly text: string }) => /name="pass" value="([^"]*)"/.exec(text)?.[1] ?? ''

/** Starts an app on which Ada watches on one device, and has signed in on a second one, which asks. */
async function asked(options: LoginAppOptions = {}, form: Record<string, string> = ADA, path = '') {
  const app = await startLoginApp({ entryPoints, ...options })
  const first = await signIn(app)
  const question = await app.post(`${path}/sign-in`, form)
  const confirm = (fields: object = { pass: passIn(question) }, headers = {}, at = '') =>
    app.post(`${at}/watch-here`, { ...fields }, { ...OWN_PAGE, ...headers })
  return { app, first, question, pass: passIn(question), confirm }
}

test('a sign-in asks before it takes the place of another screen, and has no session before the answer', async () => {
  const { app, first, question, pass } = await asked()
  expectOther(question)
  expect(question.setCookies).toEqual([])
  const { title, instead, stopped } = textsOf('en')['screen-limit']
  for (const text of [title, instead]) expect(question.text).toContain(text)
  expect(question.text).not.toContain(stopped)
  expect(pass.length).toBeGreaterThan(100)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'other-screen', viewer: ADA.username })
  expect(goesOn(await returnOf(app, first))).toBe(true)
})

test.each([2, 5])('of %i sign-ins in the same moment, one gets the place, and the others are asked', async (count) => {
  // No sign-in is answered before all of them have asked if a place is free: the bad moment.
  const barrier = Promise.withResolvers<void>()
  let asking = 0
  const claimed = openMemoryPlaces()
  const places: PlaceStore = {
    ...claimed,
    claim(key, claim) {
      const result = claimed.claim(key, claim)
      asking += 1
      if (asking === count) barrier.resolve()
      return barrier.promise.then(() => result)
    },
  }
  vi.spyOn(stores, 'places').mockResolvedValue(places)
  onTestFinished(() => void vi.restoreAllMocks())
  const app = await startLoginApp({ entryPoints })
  const answers = await Promise.all(Array.from({ length: count }, () => app.post('/sign-in', ADA)))
  expect(answers.filter(goesOn)).toHaveLength(1)
  for (const answer of answers) if (!goesOn(answer)) expectOther(answer)
  expect(app.lines.some(({ outcome }) => outcome === 'took-over')).toBe(false)
})

test('a sign-in that a later check refuses holds the place for half a minute only', async () => {
  const parameters = [{ name: 'company', attribute: 'company' }]
  const app = await startLoginApp({ entryPoints: entryPoints.map((one) => ({ ...one, parameters })) })
  app.users.add(ADA.username, ADA.password, { attributes: { company: 'a|b' } })
  expect((await app.post('/sign-in', ADA)).status).toBe(403)
  app.users.add(ADA.username, ADA.password, { attributes: { company: 'ab' } })
  app.clock.seconds += 35
  expect(goesOn(await app.post('/sign-in', ADA))).toBe(true)
})

test('a viewer without cookies who chooses to watch here is the newest', async () => {
  const { app, first, confirm } = await asked()
  const answer = await confirm()
  expect(goesOn(answer)).toBe(true)
  expect(app.lines.slice(-2)).toMatchObject([{ outcome: 'signed-in' }, { outcome: 'took-over' }])
  expectOther(await returnOf(app, first))
  expect(goesOn(await returnOf(app, cookieIn(answer)))).toBe(true)
  expect(app.users.asked).toHaveLength(2)
})

test('a returning viewer is asked too, and needs no pass', async () => {
  const { app, first, confirm } = await asked()
  await confirm()
  const question = await returnOf(app, first)
  expectOther(question)
  expect(passIn(question)).toBe('')
  expect(goesOn(await confirm({}, { Cookie: first }))).toBe(true)
  expect(goesOn(await returnOf(app, first))).toBe(true)
})

test('a sign-in with a free place does not ask, nor does one of the same browser', async () => {
  const app = await startLoginApp({ entryPoints: [withScreenLimit(ENTRY_POINT, { asks: true, most: 2 })] })
  const first = await signIn(app)
  const second = await signIn(app)
  const again = await signIn(app, ADA, second)
  for (const cookie of [first, again]) expect(goesOn(await returnOf(app, cookie))).toBe(true)
})

test('the pass carries the player context', async () => {
  const form = { ...ADA, hashConsumer: `${CONSUMER}one`, ustreamContentId: '7' }
  const app = await startLoginApp({ entryPoints })
  await signIn(app, form)
  const question = await app.post('/sign-in', form)
  expectOther(question)
  const fields = { hashConsumer: `${CONSUMER}one`, ustreamContentId: '7', pass: passIn(question) }
  for (const changed of [{ ustreamContentId: '8' }, { hashConsumer: `${CONSUMER}two` }]) {
    expect((await app.post('/watch-here', { ...fields, ...changed }, OWN_PAGE)).location).toBeUndefined()
  }
  expect((await app.post('/watch-here', fields, OWN_PAGE)).location).toMatch(`${CONSUMER}one?hash=`)
})

test('a viewer of a shared device has no session after the answer either', async () => {
  const { confirm } = await asked({}, { ...ADA, shared: 'on' })
  const answer = await confirm()
  expect([goesOn(answer), answer.setCookies]).toEqual([true, []])
})

test.each([
  ['of another entry point', {}, {}, '/e/gold'],
  ['from another site', {}, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }, ''],
  ['that is altered', { pass: 'A'.repeat(200) }, {}, ''],
  ['that a script posts', {}, { 'Sec-Fetch-Dest': 'empty' }, ''],
])('a pass %s takes no place', async (_case, fields, headers, at) => {
  const gold = withScreenLimit(entryPointAt('gold'), { asks: true })
  const { app, first, pass, confirm } = await asked({ entryPoints: [...entryPoints, gold] })
  const answer = await confirm({ pass, ...fields }, headers, at)
  expect(answer.location).toBeUndefined()
  expect(answer.setCookies).toEqual([])
  expect(goesOn(await returnOf(app, first))).toBe(true)
})

test('a pass is worthless after 15 minutes, and after the viewer was disabled', async () => {
  const late = await asked()
  const disabled = await asked()
  late.app.clock.seconds += 900
  disabled.app.users.disable(ADA.username)
  for (const { confirm } of [late, disabled]) expect((await confirm()).location).toBeUndefined()
})

test('with SCREENS=newest, no pass counts', async () => {
  const { pass } = await asked()
  const { app, first, confirm } = await asked({ entryPoints: [withScreenLimit(ENTRY_POINT)] })
  expect((await confirm({ pass })).location).toBeUndefined()
  expectOther(await returnOf(app, first))
})

test('a user store that is away gives 503 in the frame of the player', async () => {
  const { app, first, confirm } = await asked()
  app.users.fail(STORE_DOWN)
  const answer = await confirm({}, { Cookie: first })
  expect(answer.status).toBe(503)
  expect(answer.headers['content-security-policy']).toContain('frame-ancestors https://player.example')
})
