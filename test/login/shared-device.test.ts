import { join } from 'node:path'
import session from 'express-session'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { STORE_DOWN } from './memory-users.ts'
import { expectRefused } from './refused-answer.ts'
import { responseOf } from './response-of.ts'
import { expectScreen, rowsIn, signIn } from './signed-in.ts'
import { ADA, startLoginApp } from './start-login-app.ts'

const BOB = { username: 'bob', password: 'bob’s own' }
const ON_SHARED = { ...ADA, shared: 'on' }
const ENDED = expect.stringMatching(/^__Host-viewer=; .*Expires=Thu, 01 Jan 1970/)

test('a sign-in on a shared device gives a response, and makes no session', async () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  const answer = await app.post('/sign-in', ON_SHARED)
  expect(responseOf(answer.location).parameters).toEqual([['user', ADA.username]])
  expect(answer.setCookies).toEqual([])
  expect(rowsIn(file)).toEqual([])
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'signed-in', viewer: ADA.username })
})

test('a sign-in on a shared device ends the earlier session of this browser, and no other', async () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  app.users.add(BOB.username, BOB.password)
  const Cookie = await signIn(app, BOB)
  const elsewhere = await signIn(app)
  const answer = await app.post('/sign-in', ON_SHARED, { Cookie })
  expect(answer.status).toBe(303)
  expect(answer.setCookies).toEqual([ENDED])
  expect(rowsIn(file).map(({ username }) => username)).toEqual([ADA.username])
  expectScreen(await app.get('/', { Cookie }))
  expect((await app.get('/', { Cookie: elsewhere })).status).toBe(303)
})

test.each(['throws', 'reports'])('a browser loses its cookie if the session store %s an error', async (how) => {
  const store = new (class extends session.MemoryStore {})()
  const sessionStore = { store, checkHealth: () => Promise.resolve(), close: () => {} }
  const app = await startLoginApp({ sessionStore })
  const Cookie = await signIn(app)
  Object.defineProperty(store, 'destroy', {
    value: (_id: string, done: (error: unknown) => void) => {
      if (how === 'throws') throw new Error('INTERNAL fault')
      done(new Error('INTERNAL fault'))
    },
  })
  const answer = await app.post('/sign-in', ON_SHARED, { Cookie })
  responseOf(answer.location)
  expect(answer.setCookies).toEqual([ENDED])
  expect(app.lines.some(({ event }) => event === 'session-store')).toBe(true)
})

test('the choice of a shared device stays after a mistake', async () => {
  const app = await startLoginApp()
  const isChecked = ({ text }: { text: string }) => /name="shared"[^>]* checked/.test(text)
  const wrong = { ...ADA, password: 'wrong' }
  expect(isChecked(await app.get('/'))).toBe(false)
  expect(isChecked(await app.post('/sign-in', wrong))).toBe(false)
  expect(isChecked(await app.post('/sign-in', { ...wrong, shared: 'on' }))).toBe(true)
  expect(isChecked(await app.post('/sign-in', { ...ON_SHARED, password: '' }))).toBe(true)
  app.users.fail(STORE_DOWN)
  expect(isChecked(await app.post('/sign-in', ON_SHARED))).toBe(true)
  expect(isChecked(await app.post('/sign-in', ADA))).toBe(false)
})

test('a refused sign-in on a shared device ends no session', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  expectRefused(await app.post('/sign-in', { ...ON_SHARED, password: 'wrong' }, { Cookie }), 401)
  expect((await app.get('/', { Cookie })).status).toBe(303)
})
