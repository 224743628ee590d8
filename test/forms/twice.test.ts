import { expect, test } from 'vitest'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { startCodesApp } from '../features/access-codes/codes-app.ts'
import { ANSWERS, hiddenIn, reasonIn, startRegistration } from '../features/registration/start-registration.ts'
import { withScreenLimit } from '../features/screen-limit/entry-point.ts'
import { ENTRY_POINT } from '../login/entry-point.ts'
import { cookieIn, idIn } from '../login/signed-in.ts'
import { ADA, type Answer, type LoginApp, startLoginApp } from '../login/start-login-app.ts'

const pageIn = ({ text }: Pick<Answer, 'text'>) => /name="page" value="([\w-]{36})"/.exec(text)?.[1] ?? ''
const sessionOf = (answer: Answer) => idIn(cookieIn(answer))

test('each page of the password form has a text of its own', async () => {
  const app = await startLoginApp()
  const pages = [pageIn(await app.get('/')), pageIn(await app.get('/')), pageIn(await app.post('/sign-in', {}))]
  expect(new Set(pages).size).toBe(3)
  expect(pages).not.toContain('')
})

test.each([0, 10, 20])(
  'the password form sent twice at once starts one session, and another page another one',
  async (late) => {
    const app = await startLoginApp()
    app.clock.seconds += late / 10 + 8.9
    const form = { ...ADA, page: pageIn(await app.get('/')) }
    const both = await Promise.all([app.post('/sign-in', form), app.post('/sign-in', form)])
    expect(new Set(both.map(sessionOf)).size).toBe(1)
    app.clock.seconds += 0.2
    expect(sessionOf(await app.post('/sign-in', form))).toBe(both[0] && sessionOf(both[0]))
    const other = await app.post('/sign-in', { ...ADA, page: pageIn(await app.get('/')) })
    expect(sessionOf(other)).not.toBe(both[0] && sessionOf(both[0]))
    // A form from the history of a browser starts a new session.
    app.clock.seconds += 20
    expect(sessionOf(await app.post('/sign-in', form))).not.toBe(both[0] && sessionOf(both[0]))
  },
)

const outcomesOf = ({ lines }: LoginApp) => lines.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))

test.each([
  ['at once, with a session', {}],
  ['at once, on a shared device', { shared: 'on' }],
])('a password form sent twice %s counts as one sign-in', async (_case, more) => {
  const app = await startLoginApp()
  const form = { ...ADA, ...more, page: pageIn(await app.get('/')) }
  await Promise.all([app.post('/sign-in', form), app.post('/sign-in', form)])
  expect(outcomesOf(app)).toEqual(['signed-in', 'returned'])
  await app.post('/sign-in', { ...form, page: pageIn(await app.get('/')) })
  expect(outcomesOf(app).at(-1)).toBe('signed-in')
})

test('a form that is sent to two copies counts as one sign-in, and a count that fails changes nothing', async () => {
  const signInLimits = createSignInLimits(openMemoryCounter)
  const copies = [await startLoginApp({ signInLimits }), await startLoginApp({ signInLimits })]
  const form = { ...ADA, page: 'a-page-of-a-copy' }
  await Promise.all(copies.map((copy) => copy.post('/sign-in', form)))
  expect(copies.flatMap(outcomesOf).toSorted()).toEqual(['returned', 'signed-in'])
  const away = { ...signInLimits, isAgain: () => Promise.reject(new Error('away')) }
  const app = await startLoginApp({ signInLimits: away })
  expect((await app.post('/sign-in', form)).status).toBe(303)
  expect(outcomesOf(app)).toEqual(['signed-in'])
})

test('a password form without its text, of a program or an old page, signs in', async () => {
  const app = await startLoginApp()
  const both = [await app.post('/sign-in', ADA), await app.post('/sign-in', { ...ADA, page: '"><b>' })]
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect(new Set(both.map(sessionOf)).size).toBe(2)
})

test.each([true, false])(
  'a double click takes one screen, and no question is asked about it, with cookies: %s',
  async (keeps) => {
    const app = await startLoginApp({ entryPoints: [withScreenLimit(ENTRY_POINT, { asks: true })] })
    const form = { ...ADA, page: pageIn(await app.get('/')), ...(!keeps && { shared: 'on' }) }
    const both = [await app.post('/sign-in', form), await app.post('/sign-in', form)]
    expect(both.map(({ status }) => status)).toEqual([303, 303])
    // Another page of the same viewer is asked.
    const other = await app.post('/sign-in', { ...ADA, page: pageIn(await app.get('/')) })
    expect([other.status, other.text.includes('name="pass"')]).toEqual([403, true])
  },
)

test('the button "Watch here" pressed twice starts one session', async () => {
  const app = await startLoginApp({ entryPoints: [withScreenLimit(ENTRY_POINT, { asks: true })] })
  await app.post('/sign-in', { ...ADA, page: pageIn(await app.get('/')) })
  const question = await app.post('/sign-in', { ...ADA, page: pageIn(await app.get('/')) })
  const pass = /name="pass" value="([^"]*)"/.exec(question.text)?.[1] ?? ''
  const both = [await app.post('/watch-here', { pass }), await app.post('/watch-here', { pass })]
  expect(new Set(both.map(sessionOf)).size).toBe(1)
})

test('a shared access code sent twice takes one place', async () => {
  const { app, create } = await startCodesApp()
  const [code = ''] = await create({ isShared: true, most: 2 })
  const enter = async (page: string) => await app.post('/access-code', { code, page })
  const own = pageIn(await app.get('/?prompt=access-code'))
  const both = await Promise.all([enter(own), enter(own)])
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect(outcomesOf(app).filter((outcome) => outcome === 'signed-in')).toHaveLength(1)
  const statuses = []
  for (let people = 0; people < 2; people += 1) {
    statuses.push((await enter(pageIn(await app.get('/?prompt=access-code')))).status)
  }
  expect(statuses).toEqual([303, 403])
})

test('the last step of the registration sent twice at once registers once, and both lead to the player', async () => {
  const { app, prove, post, registrations } = await startRegistration()
  const [first, last] = ANSWERS
  const second = await post('/register/fields', { ...hiddenIn(await prove('ada@example.com')), ...first })
  const form = { ...hiddenIn(second), ...last }
  const both = await Promise.all([post('/register/fields', form), post('/register/fields', form)])
  expect(both.map(({ status, location }) => [status, location?.includes('hash=')])).toEqual([
    [303, true],
    [303, true],
  ])
  expect(new Set(both.map(sessionOf)).size).toBe(1)
  expect(await registrations.counts()).toMatchObject({ approved: 1 })
  app.clock.seconds += 60
  expect(reasonIn(await post('/register/fields', form))).toBe('registration-approved')
})

test('the sign-out, cancel and continue give the same answer again', async () => {
  const app = await startLoginApp()
  const Cookie = cookieIn(await app.post('/sign-in', ADA))
  for (const path of ['/continue', '/cancel', '/sign-out']) {
    const both = [await app.post(path, {}, { Cookie }), await app.post(path, {}, { Cookie })]
    expect(both[1]?.status).toBe(both[0]?.status)
  }
})
