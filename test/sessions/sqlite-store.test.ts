import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import type { SessionStore } from '../../src/sessions/session-store.ts'
import { openSqliteSessionStore } from '../../src/sessions/sqlite-store.ts'
import { responseOf } from '../login/response-of.ts'
import { cookieIn, expectScreen, rowsIn, signIn } from '../login/signed-in.ts'
import { ADA, startLoginApp } from '../login/start-login-app.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { get, sessionOf, sessionStoreContract, set, touch } from './session-store-contract.ts'

const LIMITS = { lifetimeSeconds: 1000, idleSeconds: 100 }
const clock = { seconds: 0 }

function newFile(): string {
  clock.seconds = 10_000
  return join(temporaryFolder(), 'sessions.db')
}

function open(file: string): SessionStore {
  const sessionStore = openSqliteSessionStore(file, LIMITS, () => clock.seconds)
  onTestFinished(() => sessionStore.close())
  return sessionStore
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

sessionStoreContract('SQLite', () => {
  const file = newFile()
  return Promise.resolve((limits, nowSeconds) => openSqliteSessionStore(file, limits, nowSeconds))
})

describe('the session file', () => {
  test('keeps sessions when the program starts again', async () => {
    const file = newFile()
    const before = open(file)
    await set(before, 'a', sessionOf('ada', clock.seconds))
    before.close()
    expect(await get(open(file), 'a')).toMatchObject({ viewer: { username: 'ada', signedInAtSeconds: 10_000 } })
  })

  test('keeps, when the program is stopped, what was used last', async () => {
    const file = newFile()
    const before = open(file)
    await set(before, 'a', sessionOf('ada', clock.seconds))
    clock.seconds += 90
    await touch(before, 'a', sessionOf('ada', clock.seconds))
    before.close()
    clock.seconds += 90
    expect(await get(open(file), 'a')).toMatchObject({ viewer: { username: 'ada' } })
  })

  test('is for the user who runs the program alone, with the files beside it', async () => {
    const file = newFile()
    await set(open(file), 'a', sessionOf('ada', clock.seconds))
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('forgets at the next start what ended meanwhile', async () => {
    const file = newFile()
    const before = open(file)
    await set(before, 'idle', sessionOf('ada', clock.seconds))
    await set(before, 'old', sessionOf('bob', clock.seconds - 999))
    clock.seconds += 50
    await set(before, 'used', sessionOf('eve', clock.seconds))
    before.close()
    clock.seconds += 50
    open(file)
    expect(rowsIn(file)).toEqual([{ id: 'used', username: 'eve' }])
  })

  test('knows after a restart that a session was used, where a minute is much of its idle time', async () => {
    const file = newFile()
    const before = open(file)
    await set(before, 'a', sessionOf('ada', clock.seconds))
    clock.seconds += 50
    await touch(before, 'a', sessionOf('ada', clock.seconds - 50))
    before.close()
    clock.seconds += 99
    const after = open(file)
    expect(await get(after, 'a')).not.toBeNull()
    clock.seconds += 1
    expect(await get(after, 'a')).toBeNull()
  })

  test('does not bring back a session by using it', async () => {
    const file = newFile()
    const sessionStore = open(file)
    await touch(sessionStore, 'never', sessionOf('ada', clock.seconds))
    await set(sessionStore, 'a', sessionOf('ada', clock.seconds))
    await new Promise((resolve) => sessionStore.store.destroy('a', resolve))
    await touch(sessionStore, 'a', sessionOf('ada', clock.seconds))
    sessionStore.close()
    expect(rowsIn(file)).toEqual([])
  })

  test('answers that it is well, or throws', async () => {
    const sessionStore = open(newFile())
    await expect(sessionStore.checkHealth()).resolves.toBeUndefined()
    sessionStore.close()
    await expect(sessionStore.checkHealth()).rejects.toThrow()
    expect(() => sessionStore.close()).not.toThrow()
  })
})

describe('a row that cannot be read', () => {
  test.each([
    ['is no JSON', `UPDATE sessions SET data = '{'`],
    ['is empty', `UPDATE sessions SET data = ''`],
    ['is null', `UPDATE sessions SET data = 'null'`],
    ['is a list', `UPDATE sessions SET data = '[]'`],
    ['names no viewer', `UPDATE sessions SET data = '{"cookie":{}}'`],
    ['names a viewer of another kind', `UPDATE sessions SET data = '{"cookie":{},"viewer":"ada"}'`],
    ['has no cookie', `UPDATE sessions SET data = json_remove(data, '$.cookie')`],
    ['has a cookie of another kind', `UPDATE sessions SET data = json_set(data, '$.cookie', 1)`],
    ['has an odd cookie', `UPDATE sessions SET data = json_set(data, '$.cookie.expires', 'never')`],
    ['has no time', `UPDATE sessions SET data = json_remove(data, '$.viewer.signedInAtSeconds')`],
    ['has a time of another kind', `UPDATE sessions SET data = json_set(data, '$.viewer.signedInAtSeconds', 'x')`],
    ['comes from the far future', `UPDATE sessions SET signed_in_at = 9000000000000000, used_at = 9000000000000000`],
  ])('that %s is no 500, and the viewer can sign in to a session again', async (_case, sql) => {
    const file = newFile()
    const app = await startLoginApp({ sessionFile: file })
    const Cookie = await signIn(app)
    change(file, sql)
    expect([200, 303]).toContain((await app.get('/', { Cookie })).status)
    const again = await app.post('/sign-in', ADA, { Cookie })
    responseOf(again.location)
    expect((await app.get('/', { Cookie: cookieIn(again) })).status).toBe(303)
    expect((await app.post('/sign-out', '', { Cookie })).status).toBe(303)
  })

  test('is removed, so that it is complained of once', async () => {
    const file = newFile()
    const app = await startLoginApp({ sessionFile: file })
    const Cookie = await signIn(app)
    change(file, `UPDATE sessions SET data = '{'`)
    for (let visit = 0; visit < 3; visit += 1) expectScreen(await app.get('/', { Cookie }))
    expect(rowsIn(file)).toEqual([])
  })
})

describe('a file that cannot be used', () => {
  test.each([
    ['is no database', (file: string) => writeFileSync(file, 'x'.repeat(5000))],
    ['was written by a newer version', (file: string) => change(file, 'PRAGMA user_version = 99')],
    ['has other tables', (file: string) => change(file, 'CREATE TABLE sessions (id TEXT)')],
  ])('because it %s stops the start with a sentence', (_case, spoil) => {
    const file = newFile()
    spoil(file)
    expect(() => open(file)).toThrow(ConfigError)
    expect(() => open(file)).toThrow(file)
  })

  test('a session file whose folder cannot be created stops the start with a sentence', () => {
    const noFolder = newFile()
    writeFileSync(noFolder, '')
    expect(() => open(join(noFolder, 'sessions.db'))).toThrow(/SESSION_STORE_URL.*sessions\.db.*writable/)
  })
})
