import { chmodSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import PACKAGE from '../../../package.json' with { type: 'json' }
import { ConfigError } from '../../../src/errors.ts'
import { openViewersFile } from '../../../src/users/sqlite/database-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Returns the message for the operator. */
function refusal(file: string): string {
  let error: unknown
  try {
    openViewersFile(file, 0).close()
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(ConfigError)
  return (error as ConfigError).message
}

/** Runs the work as another user than root, who can write everywhere. */
function asOrdinaryUser<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

test('a missing file and its folders are created with access for this user only', () => {
  const folder = join(temporaryFolder(), 'data', 'deeper')
  openViewersFile(join(folder, 'viewers.db'), 0).close()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'viewers.db')).mode & 0o777).toBe(0o600)
})

test('a file that is opened again still has its viewers', () => {
  const file = join(temporaryFolder(), 'viewers.db')
  const first = openViewersFile(file, 0)
  first.exec(`INSERT INTO viewers (key, username, password_hash) VALUES ('ada', 'Ada', 'x')`)
  first.close()
  const again = openViewersFile(file, 0)
  onTestFinished(() => again.close())
  expect(again.prepare('SELECT username FROM viewers').all()).toEqual([{ username: 'Ada' }])
})

test('a file name that looks like an SQLite URI is not read as one', () => {
  const folder = temporaryFolder()
  openViewersFile(join(folder, 'file:viewers.db?mode=ro#x'), 0).close()
  expect(readdirSync(folder)).toEqual(['file:viewers.db?mode=ro#x'])
})

test.each([
  ['text', (file: string) => writeFileSync(file, 'This is not a database. '.repeat(100))],
  [
    'a database with a broken first page',
    (file: string) => {
      openViewersFile(file, 0).close()
      writeFileSync(file, Buffer.alloc(4096, 0xff), { flag: 'r+' })
    },
  ],
  [
    'a truncated database',
    (file: string) => {
      openViewersFile(file, 0).close()
      truncateSync(file, 4096)
    },
  ],
])('a file with %s is refused as damaged or not a database', (_what, write) => {
  const file = join(temporaryFolder(), 'viewers.db')
  write(file)
  expect(refusal(file)).toMatch(/viewers\.db is damaged or not a database.*backup/)
})

test("another program's database is refused and not changed", () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const other = new DatabaseSync(file)
  other.exec('CREATE TABLE sessions (id TEXT)')
  other.close()
  expect(refusal(file)).toMatch(/sessions\.db is a database of another program/)
  const after = new DatabaseSync(file)
  onTestFinished(() => after.close())
  expect(after.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'sessions' }])
})

test('a file of the version before passkeys keeps its viewers, and takes passkeys', () => {
  const file = join(temporaryFolder(), 'viewers.db')
  const older = openViewersFile(file, 0)
  older.exec(`DROP TABLE passkeys; DROP TABLE passkey_handles; DROP TRIGGER viewer_added; DROP TRIGGER viewer_changed;
              DROP TABLE viewer_addresses; PRAGMA user_version = 2;
              INSERT INTO viewers (key, username, password_hash) VALUES ('ada', 'Ada', 'x')`)
  older.close()
  const database = openViewersFile(file, 0)
  onTestFinished(() => database.close())
  database.exec("INSERT INTO passkey_handles (key, handle) VALUES ('ada', 'x')")
  expect(database.prepare('SELECT username FROM viewers').all()).toEqual([{ username: 'Ada' }])
})

test('a file of a newer release of the app is refused, and the message names that release', () => {
  const file = join(temporaryFolder(), 'viewers.db')
  const database = openViewersFile(file, 0)
  expect(database.prepare('SELECT name FROM app_release').get()).toEqual({ name: PACKAGE.version })
  database.exec("PRAGMA user_version = 99; UPDATE app_release SET name = '99.1.2'")
  database.close()
  expect(refusal(file)).toBe(
    `The viewer database ${file} was last changed by release 99.1.2 of this app, and this is ${PACKAGE.version}. ` +
      'Use that release or a later one, or restore an older backup.',
  )
})

test('a folder without write access is refused, with the path, the code and the setting', () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o555)
  const file = join(folder, 'viewers.db')
  const message = asOrdinaryUser(() => refusal(file))
  expect(message).toContain(`${file} cannot be written (EACCES)`)
  expect(message).toContain('USER_STORE_URL')
})

test('a read-only file in a read-only folder is refused', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'viewers.db')
  openViewersFile(file, 0).close()
  chmodSync(file, 0o444)
  chmodSync(folder, 0o555)
  expect(asOrdinaryUser(() => refusal(file))).toContain('cannot be written')
})

test('a folder in place of the file is refused, and a file in place of the folder too', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'viewers.db'))
  expect(refusal(join(folder, 'viewers.db'))).toContain('cannot be written (EISDIR)')
  writeFileSync(join(folder, 'data'), '')
  expect(refusal(join(folder, 'data', 'viewers.db'))).toMatch(/cannot be written \((EEXIST|ENOTDIR)\)/)
})

/** Starts another program that keeps a write lock on the file, which has no write-ahead log yet. */
async function lockFile(file: string, heldMs: number): Promise<Worker> {
  const holding = `
    const { parentPort, workerData } = require('node:worker_threads')
    const database = new (require('node:sqlite').DatabaseSync)(workerData.file)
    database.exec('BEGIN IMMEDIATE')
    parentPort.postMessage('held')
    setTimeout(() => database.exec('ROLLBACK'), workerData.heldMs)`
  const worker = new Worker(holding, { eval: true, workerData: { file, heldMs } })
  onTestFinished(async () => {
    await worker.terminate()
  })
  await new Promise((resolve) => worker.once('message', resolve))
  return worker
}

test('a file that another program locks for a short time is opened after that', async () => {
  const file = join(temporaryFolder(), 'viewers.db')
  await lockFile(file, 100)
  openViewersFile(file, 0).close()
})

test('a file that another program keeps locked is refused', async () => {
  const file = join(temporaryFolder(), 'viewers.db')
  await lockFile(file, 600_000)
  expect(() => openViewersFile(file, 0, 50)).toThrow(/^Another program locks the viewer database/)
})

test('eight threads can create the same file at once', async () => {
  const file = join(temporaryFolder(), 'viewers.db')
  const module = new URL('../../../src/users/sqlite/database-file.ts', import.meta.url).href
  const start = new SharedArrayBuffer(4)
  const opening = `
    const { parentPort, workerData } = require('node:worker_threads')
    import(workerData.module).then(({ openViewersFile }) => {
      parentPort.postMessage('ready')
      Atomics.wait(new Int32Array(workerData.start), 0, 0)
      openViewersFile(workerData.file, 0).close()
    })`
  const workers = Array.from({ length: 8 }, () => {
    return new Worker(opening, { eval: true, workerData: { file, module, start } })
  })
  const ends = workers.map((worker) => new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject)))
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))))
  Atomics.store(new Int32Array(start), 0, 1)
  Atomics.notify(new Int32Array(start), 0)
  expect(await Promise.all(ends)).toEqual(Array(8).fill(0))
  openViewersFile(file, 0).close()
})
