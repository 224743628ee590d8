import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textsOf } from '../../src/languages/languages.ts'
import { htmlWithName } from '../../src/login/screens/page.ts'
import type { UserStore } from '../../src/users/user-store.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { memoryUsers, STORE_DOWN } from './memory-users.ts'
import { expectRefused } from './refused-answer.ts'
import { responseOf } from './response-of.ts'
import { expectScreen, rowsIn, signIn } from './signed-in.ts'
import { ADA, type LoginApp, SESSION_LIMITS, START_SECONDS, startLoginApp } from './start-login-app.ts'

const BOB = { username: 'bob', password: 'bob’s own' }

test('a returning viewer is passed on at once, with a new response', async () => {
  const app = await startLoginApp()
  const cookie = await signIn(app)
  app.clock.seconds += 1000.7
  const answer = await app.get('/', { Cookie: cookie })
  expect(answer).toMatchObject({ status: 303, text: '', setCookies: [] })
  expect(responseOf(answer.location)).toEqual({
    address: ENTRY_POINT.playerAddress.url,
    parameters: [['user', ADA.username]],
    expiresAtSeconds: START_SECONDS + 1000 + 3600,
  })
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'returned', viewer: ADA.username })
})

test.each(['iframe', 'document', undefined])(
  'a returning viewer is passed on if Sec-Fetch-Dest is %s',
  async (destination) => {
    const app = await startLoginApp()
    const headers = { Cookie: await signIn(app), ...(destination ? { 'Sec-Fetch-Dest': destination } : {}) }
    expect((await app.get('/', headers)).status).toBe(303)
  },
)

test.each(['empty', 'image', 'script', 'style', 'frame', 'embed', 'object', 'worker', 'fencedframe', 'report', ''])(
  'a returning viewer gets the screen if Sec-Fetch-Dest is %j, which is not a navigation',
  async (destination) => {
    const app = await startLoginApp()
    const answer = await app.get('/', { Cookie: await signIn(app), 'Sec-Fetch-Dest': destination })
    expectScreen(answer)
    expect(answer.text).toContain(htmlWithName(textsOf('en').continueAs, ADA.username))
  },
)

test('a HEAD request gives a returning viewer no response', async () => {
  const app = await startLoginApp()
  const answer = await app.send('HEAD', '/', { Cookie: await signIn(app) })
  expect(answer).toMatchObject({ status: 200, location: undefined, text: '' })
})

test('a returning viewer is looked up again, and the response has the current attributes', async () => {
  const parameters = [{ name: 'plan', attribute: 'plan' }]
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, parameters, allowedGroups: ['gold'] }] })
  app.users.add(BOB.username, BOB.password, { groups: ['gold'], attributes: { plan: 'old' } })
  const Cookie = await signIn(app, BOB)
  app.users.add(BOB.username, BOB.password, { groups: ['gold'], attributes: { plan: 'new' } })
  expect(responseOf((await app.get('/', { Cookie })).location).parameters).toEqual([['plan', 'new']])
  app.users.add(BOB.username, BOB.password, { groups: ['silver'], attributes: { plan: 'new' } })
  expectRefused(await app.get('/', { Cookie }), 403)
  app.users.add(BOB.username, BOB.password, { groups: ['gold'] })
  expectRefused(await app.get('/', { Cookie }), 403)
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'unusable-attribute', attribute: 'plan', reason: 'is missing' })
})

test.each([
  ['disabled', (app: LoginApp) => app.users.disable(ADA.username)],
  ['removed', (app: LoginApp) => app.users.remove(ADA.username)],
])('a returning viewer who was %s meanwhile loses the session for good', async (_case, change) => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  const Cookie = await signIn(app)
  change(app)
  const answer = await app.get('/', { Cookie })
  expectScreen(answer)
  expect(answer.text).not.toContain(ADA.username)
  expect(answer.setCookies).toEqual([expect.stringMatching(/^__Host-viewer=; .*Expires=Thu, 01 Jan 1970/)])
  expect(app.lines.at(-1)).toMatchObject({ event: 'session-ended', reason: 'viewer gone or disabled' })
  expect(rowsIn(file)).toEqual([])
  app.users.add(ADA.username, ADA.password)
  expectScreen(await app.get('/', { Cookie }))
})

test('a returning viewer is refused while the user store is down, and passes again afterwards', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  app.users.fail(STORE_DOWN)
  const answer = await app.get('/', { Cookie })
  expectRefused(answer, 503)
  expect(answer.headers['retry-after']).toBe('30')
  expect(answer.text).not.toContain('INTERNAL')
  app.users.fail(new Error('INTERNAL fault'))
  expectRefused(await app.get('/', { Cookie }), 500)
  app.users.fail(null)
  expect((await app.get('/', { Cookie })).status).toBe(303)
})

test('a returning viewer has the attributes of the sign-in if the store cannot look up viewers', async () => {
  const full = memoryUsers()
  full.add(BOB.username, BOB.password, { groups: ['gold'], attributes: { plan: 'old' } })
  const users: UserStore = { authenticate: full.authenticate, checkHealth: full.checkHealth, close: full.close }
  const parameters = [{ name: 'plan', attribute: 'plan' }]
  const app = await startLoginApp({ users, entryPoints: [{ ...ENTRY_POINT, parameters, allowedGroups: ['gold'] }] })
  const Cookie = await signIn(app, BOB)
  full.remove(BOB.username)
  expect(responseOf((await app.get('/', { Cookie })).location).parameters).toEqual([['plan', 'old']])
  app.clock.seconds += SESSION_LIMITS.idleSeconds
  expectScreen(await app.get('/', { Cookie }))
})
