import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { expectRefused } from '../login/refused-answer.ts'
import { responseOf } from '../login/response-of.ts'
import { expectScreen, idIn, rowsIn, signIn } from '../login/signed-in.ts'
import { ADA, SESSION_LIMITS, startLoginApp } from '../login/start-login-app.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const REMOVED_COOKIE =
  '__Host-viewer=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; Partitioned; SameSite=None'
const BOB = { username: 'bob', password: 'bob’s own' }

test('each sign-in gives the session a new id, so that no id can be planted', async () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  app.users.add(BOB.username, BOB.password)
  const planted = await signIn(app, BOB)
  const own = await signIn(app, ADA, planted)
  expect(idIn(own)).not.toBe(idIn(planted))
  expectScreen(await app.get('/', { Cookie: planted }))
  expect(responseOf((await app.get('/', { Cookie: own })).location).parameters).toEqual([['user', ADA.username]])
  expect(rowsIn(file)).toEqual([{ id: idIn(own), username: ADA.username }])
})

test('a sign-in gives the session a new id, even if the cookie is spelled as no browser spells it', async () => {
  const app = await startLoginApp()
  const planted = await signIn(app)
  const own = await signIn(app, ADA, planted.replace('=', ' ='))
  expect(idIn(own)).not.toBe(idIn(planted))
  expectScreen(await app.get('/', { Cookie: planted }))
})

test('an id that a client made up opens no session', async () => {
  const app = await startLoginApp()
  const own = await signIn(app, ADA, '__Host-viewer=s%3Achosen.by-the-client')
  expect(idIn(own)).toMatch(/^[\w-]{32}$/)
})

test('session ids do not repeat and cannot be predicted', async () => {
  const app = await startLoginApp()
  const ids = await Promise.all(Array.from({ length: 50 }, async () => idIn(await signIn(app))))
  expect(new Set(ids).size).toBe(50)
  expect(Math.min(...ids.map((id) => new Set(id).size))).toBeGreaterThan(12)
})

test('a session survives a wrong password and a cancel', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  await app.post('/sign-in', { ...ADA, password: 'x' }, { Cookie })
  await app.post('/cancel', '', { Cookie })
  expect((await app.get('/', { Cookie })).status).toBe(303)
})

test('a session ends after its lifetime, even if it is used', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  for (let used = 0; used < SESSION_LIMITS.lifetimeSeconds - 1800; used += 1800) {
    app.clock.seconds += 1800
    expect((await app.get('/', { Cookie })).status).toBe(303)
  }
  app.clock.seconds += 1799
  expect((await app.get('/', { Cookie })).status).toBe(303)
  app.clock.seconds += 1
  expectScreen(await app.get('/', { Cookie }))
  expect(app.lines.filter(({ event }) => event === 'session-store')).toEqual([])
})

test('a session ends after its lifetime, even if the store still has it', async () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  const Cookie = await signIn(app)
  const database = new DatabaseSync(file)
  database.exec('UPDATE sessions SET signed_in_at = 9e9, used_at = 9e9')
  database.close()
  app.clock.seconds += SESSION_LIMITS.lifetimeSeconds
  expectScreen(await app.get('/', { Cookie }))
  expect(rowsIn(file)).toEqual([])
  expect(app.lines.at(-1)).toMatchObject({ event: 'session-ended', reason: 'too old' })
})

test('a session ends with the password that opened it', async () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  app.users.add(BOB.username, BOB.password, { passwordVersion: 'old' })
  const Cookie = await signIn(app, BOB)
  expect((await app.get('/', { Cookie })).status).toBe(303)
  app.users.add(BOB.username, 'new', { passwordVersion: 'new' })
  expectScreen(await app.get('/', { Cookie }))
  expect(rowsIn(file)).toEqual([])
  expect(app.lines.at(-1)).toMatchObject({ event: 'session-ended', reason: 'password changed' })
})

test('a session without a password version lasts, and a store that names none ends no session', async () => {
  const app = await startLoginApp()
  app.users.add(BOB.username, BOB.password)
  const early = await signIn(app, BOB)
  app.users.add(BOB.username, BOB.password, { passwordVersion: 'first' })
  expect((await app.get('/', { Cookie: early })).status).toBe(303)
  const later = await signIn(app, BOB)
  app.users.add(BOB.username, BOB.password)
  expect((await app.get('/', { Cookie: later })).status).toBe(303)
})

test('a session that is not used for its idle time ends, and each use starts that time again', async () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  const Cookie = await signIn(app)
  app.clock.seconds += SESSION_LIMITS.idleSeconds - 1
  expect((await app.get('/', { Cookie })).status).toBe(303)
  app.clock.seconds += SESSION_LIMITS.idleSeconds - 2
  expect((await app.get('/', { Cookie })).status).toBe(303)
  expect(rowsIn(file)).toHaveLength(1)
  const other = await signIn(app)
  app.clock.seconds += SESSION_LIMITS.idleSeconds
  expectScreen(await app.get('/', { Cookie: other }))
  expect(rowsIn(file).map(({ id }) => id)).not.toContain(idIn(other))
})

test('a sign-out ends the session on the server, so a copied cookie is useless', async () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  const Cookie = await signIn(app)
  const answer = await app.post('/sign-out', '', { Cookie })
  expect(answer).toMatchObject({ status: 303, location: '/' })
  expect(answer.setCookies).toEqual([REMOVED_COOKIE])
  expect(rowsIn(file)).toEqual([])
  expectScreen(await app.get('/', { Cookie }))
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'signed-out' })
})

test('a sign-out works without a session', async () => {
  const app = await startLoginApp()
  for (const headers of [{}, { Cookie: '__Host-viewer=s%3Aforged.x' }, { 'Content-Type': 'application/json' }]) {
    expect(await app.post('/sign-out', undefined, headers)).toMatchObject({ status: 303, location: '/' })
  }
})

test('a sign-out ends the session of one viewer only', async () => {
  const app = await startLoginApp()
  const first = await signIn(app)
  const second = await signIn(app)
  await app.post('/sign-out', '', { Cookie: first })
  expectScreen(await app.get('/', { Cookie: first }))
  expect((await app.get('/', { Cookie: second })).status).toBe(303)
})

test('viewers can sign in while the session store is down, but without a session', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  app.sessionStore.close()
  for (const headers of [{}, { Cookie }]) {
    const answer = await app.post('/sign-in', ADA, headers)
    expect(answer.status).toBe(303)
    responseOf(answer.location)
    expect(answer.setCookies).toEqual('Cookie' in headers ? [REMOVED_COOKIE] : [])
  }
  expectScreen(await app.get('/', { Cookie }))
  expect((await app.post('/cancel', '', { Cookie })).status).toBe(303)
  // Two sign-ins without a session have the same warning, which is logged once.
  expect(app.lines.filter(({ event }) => event === 'session-store')).toHaveLength(2)
})

test('a sign-out fails with a message while the session store is down, and removes the cookie', async () => {
  const app = await startLoginApp()
  const Cookie = await signIn(app)
  app.sessionStore.close()
  const answer = await app.post('/sign-out', '', { Cookie })
  expectRefused({ ...answer, setCookies: [] }, 503)
  expect(answer.headers['retry-after']).toBe('30')
  expect(answer.setCookies).toEqual([REMOVED_COOKIE])
})
