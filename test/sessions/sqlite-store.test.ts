import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { endAllSessions, endSessions } from '../../src/sessions/session-file.ts'
import type { SessionStore } from '../../src/sessions/session-store.ts'
import { storableSession } from '../../src/sessions/session-store.ts'
import { openSqliteSessionStore } from '../../src/sessions/sqlite-store.ts'
import { responseOf } from '../login/response-of.ts'
import { cookieIn, expectScreen, rowsIn, signIn } from '../login/signed-in.ts'
import { ADA, startLoginApp } from '../login/start-login-app.ts'
import { failCommits } from '../server/failing-commits.ts'
import { filesWith } from '../server/files-with.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { identitySessionsContract, providerSessionOf } from './identity-sessions-contract.ts'
import { get, sessionOf, sessionStoreContract, set, touch } from './session-store-contract.ts'

const LIMITS = { lifetimeSeconds: 1000, idleSeconds: 100, mostPerViewer: 20 }
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

for (const contract of [sessionStoreContract, identitySessionsContract]) {
  contract('SQLite', () => {
    const file = newFile()
    return Promise.resolve((limits, nowSeconds) => openSqliteSessionStore(file, limits, nowSeconds))
  })
}

test('the session file keeps sessions across a restart', async () => {
  const file = newFile()
  const before = open(file)
  await set(before, 'a', sessionOf('ada', clock.seconds))
  before.close()
  expect(await get(open(file), 'a')).toMatchObject({ viewer: { username: 'ada', signedInAtSeconds: 10_000 } })
})

test('a session file of the first version is updated, and keeps its sessions', async () => {
  const file = newFile()
  change(
    file,
    `CREATE TABLE sessions (id TEXT PRIMARY KEY, username TEXT NOT NULL, data TEXT NOT NULL,
       signed_in_at INTEGER NOT NULL, used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
     CREATE INDEX sessions_by_username ON sessions (username);
     INSERT INTO sessions VALUES ('a', 'ada', '${JSON.stringify(sessionOf('ada', 10_000))}', 10000, 10000);
     PRAGMA user_version = 1`,
  )
  for (const sessionStore of [open(file), open(file)]) {
    expect(await get(sessionStore, 'a')).toMatchObject({ viewer: { username: 'ada' } })
  }
})

test('a session file of the second version is updated, and its sessions are found by provider', async () => {
  const file = newFile()
  const rows = [sessionOf('ada', 10_000), providerSessionOf('ada', 10_000, { providerSession: 's1' })]
  const values = rows.map(
    (row, id) => `('${id}', 'ada', '${JSON.stringify(storableSession(row))}', 10000, 10000, ${id})`,
  )
  change(
    file,
    `CREATE TABLE sessions (id TEXT PRIMARY KEY, username TEXT NOT NULL, data TEXT NOT NULL,
       signed_in_at INTEGER NOT NULL, used_at INTEGER NOT NULL, number INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
     CREATE INDEX sessions_by_viewer ON sessions (username, number);
     INSERT INTO sessions VALUES ${values.join()}, ('damaged', 'eve', '{', 10000, 10000, 1);
     PRAGMA user_version = 2`,
  )
  const sessionStore = open(file)
  const logout = { issuer: 'https://idp.example', subject: null, providerSession: 's1' }
  expect(await sessionStore.endIdentitySessions(logout)).toBe(1)
  expect(await get(sessionStore, '0')).toMatchObject({ viewer: { username: 'ada' } })
})

test('the session file keeps the last uses when the program stops', async () => {
  const file = newFile()
  const before = open(file)
  await set(before, 'a', sessionOf('ada', clock.seconds))
  clock.seconds += 90
  await touch(before, 'a', (await get(before, 'a')) ?? expect.unreachable())
  before.close()
  clock.seconds += 90
  expect(await get(open(file), 'a')).toMatchObject({ viewer: { username: 'ada' } })
})

test('the session file gets a use while the program runs', async () => {
  const file = newFile()
  const running = open(file)
  await set(running, 'a', sessionOf('ada', clock.seconds))
  clock.seconds += 90
  await touch(running, 'a', (await get(running, 'a')) ?? expect.unreachable())
  await expect.poll(() => get(open(file), 'a')).toMatchObject({ usedAtSeconds: clock.seconds })
})

test('a session that the file does not take is an error', async () => {
  const file = newFile()
  const sessionStore = open(file)
  failCommits(file, 'sessions')
  await expect(set(sessionStore, 'a', sessionOf('ada', clock.seconds))).rejects.toThrow('FOREIGN KEY')
  expect(await get(sessionStore, 'a')).toBeNull()
})

test('a use that the file did not take is an error of the next use, until a write succeeds', async () => {
  const file = newFile()
  const sessionStore = open(file)
  await set(sessionStore, 'a', sessionOf('ada', clock.seconds))
  clock.seconds += 90
  const data = (await get(sessionStore, 'a')) ?? expect.unreachable()
  const use = () => touch(sessionStore, 'a', data).then(() => 'taken', String)
  failCommits(file, 'sessions')
  expect(await use()).toBe('taken')
  await expect.poll(use).toContain('FOREIGN KEY')
  change(file, 'DROP TRIGGER fail_UPDATE')
  await expect.poll(use).toBe('taken')
})

test('the session file and the files beside it are private', async () => {
  const file = newFile()
  await set(open(file), 'a', sessionOf('ada', clock.seconds))
  for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('the next start deletes sessions that ended meanwhile', async () => {
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

test('the session file keeps the last use across a restart if the idle time is short', async () => {
  const file = newFile()
  const before = open(file)
  await set(before, 'a', sessionOf('ada', clock.seconds))
  clock.seconds += 50
  await touch(before, 'a', (await get(before, 'a')) ?? expect.unreachable())
  before.close()
  clock.seconds += 99
  const after = open(file)
  expect(await get(after, 'a')).not.toBeNull()
  clock.seconds += 1
  expect(await get(after, 'a')).toBeNull()
})

test('a session whose last use is not written yet is not deleted as ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const sessionStore = open(newFile())
  await set(sessionStore, 'a', sessionOf('ada', clock.seconds))
  clock.seconds += 99
  vi.advanceTimersByTime(599_950)
  await touch(sessionStore, 'a', sessionOf('ada', 10_000))
  clock.seconds += 2
  // Ended sessions are deleted now, 50 ms before the use is written.
  vi.advanceTimersByTime(60)
  expect(await get(sessionStore, 'a')).toMatchObject({ viewer: { username: 'ada' } })
})

test('using an ended session does not restore it', async () => {
  const file = newFile()
  const sessionStore = open(file)
  await touch(sessionStore, 'never', sessionOf('ada', clock.seconds))
  await set(sessionStore, 'a', sessionOf('ada', clock.seconds))
  clock.seconds += 90
  const data = (await get(sessionStore, 'a')) ?? expect.unreachable()
  await new Promise((resolve) => sessionStore.store.destroy('a', resolve))
  await touch(sessionStore, 'a', data)
  sessionStore.close()
  expect(rowsIn(file)).toEqual([])
})

test('the health check resolves while the file is open, and throws afterwards', async () => {
  const sessionStore = open(newFile())
  await expect(sessionStore.checkHealth()).resolves.toBeUndefined()
  sessionStore.close()
  await expect(sessionStore.checkHealth()).rejects.toThrow()
  expect(() => sessionStore.close()).not.toThrow()
})

test.each([
  ['is not JSON', `UPDATE sessions SET data = '{'`],
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
])('a row that %s causes no error, and the viewer can sign in again', async (_case, sql) => {
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

test('a row with a time that is not a number is an error, not a session', async () => {
  const file = newFile()
  change(
    file,
    `CREATE TABLE sessions (id TEXT PRIMARY KEY, username TEXT, data TEXT, signed_in_at, used_at, number);
     INSERT INTO sessions VALUES ('a', 'ada', '${JSON.stringify(sessionOf('ada', 10_000))}', 'never', 10000, 1);
     PRAGMA user_version = 2`,
  )
  await expect(get(open(file), 'a')).rejects.toThrow('signed_in_at')
})

test('an unreadable row is removed, so that it is reported once', async () => {
  const file = newFile()
  const app = await startLoginApp({ sessionFile: file })
  const Cookie = await signIn(app)
  change(file, `UPDATE sessions SET data = '{'`)
  for (let visit = 0; visit < 3; visit += 1) expectScreen(await app.get('/', { Cookie }))
  expect(rowsIn(file)).toEqual([])
})

test.each([
  ['has other tables', (file: string) => change(file, 'CREATE TABLE sessions (id TEXT)')],
  ['is a folder', (file: string) => mkdirSync(file)],
])('a session file that %s stops the start with a sentence', (_case, spoil) => {
  const file = newFile()
  spoil(file)
  expect(() => open(file)).toThrow(ConfigError)
  expect(() => open(file)).toThrow(file)
})

test('a session file of a newer release stops the start and commands, and the message names that release', () => {
  const file = newFile()
  open(file).close()
  change(file, "PRAGMA user_version = 99; UPDATE app_release SET name = '99.1.2'")
  const message = 'was last changed by release 99.1.2 of this app'
  expect(() => open(file)).toThrow(`SESSION_STORE_URL: the session file ${file} ${message}`)
  expect(() => endAllSessions(file)).toThrow(
    `SESSION_STORE_URL: the session file ${file} cannot be used (it ${message}`,
  )
})

test('a session file whose folder cannot be created stops the start with a sentence', () => {
  const noFolder = newFile()
  writeFileSync(noFolder, '')
  expect(() => open(join(noFolder, 'sessions.db'))).toThrow(/SESSION_STORE_URL.*sessions\.db.*writable/)
})

test('no byte of a viewer whose sessions a command ends is left, while the app has the file open', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'sessions.db')
  await set(open(file), 'id', sessionOf('ada.lovelace@example.com', 10_000))
  expect(filesWith(folder, 'ada.lovelace')).not.toEqual([])
  expect(endSessions(file, 'ada.lovelace@example.com', false)).toBe(1)
  expect(filesWith(folder, 'ada.lovelace')).toEqual([])
})
