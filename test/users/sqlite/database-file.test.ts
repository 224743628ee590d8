import { chmodSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { openViewersFile } from '../../../src/users/sqlite/database-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** What an operator reads when the file cannot be used. */
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

/** Root may write everywhere: for the time of the work we are nobody in particular. */
function asOrdinaryUser<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

test('a missing file and its folders are made, for this user alone', () => {
  const folder = join(temporaryFolder(), 'data', 'deeper')
  openViewersFile(join(folder, 'viewers.db'), 0).close()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'viewers.db')).mode & 0o777).toBe(0o600)
})

test('what was written is there when the file is opened again', () => {
  const file = join(temporaryFolder(), 'viewers.db')
  const first = openViewersFile(file, 0)
  first.exec(`INSERT INTO viewers (key, username, password_hash) VALUES ('ada', 'Ada', 'x')`)
  first.close()
  const again = openViewersFile(file, 0)
  onTestFinished(() => again.close())
  expect(again.prepare('SELECT username FROM viewers').all()).toEqual([{ username: 'Ada' }])
})

test('a file name with the signs of an address is a file name', () => {
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
    'a database cut short',
    (file: string) => {
      openViewersFile(file, 0).close()
      truncateSync(file, 4096)
    },
  ],
])('%s is refused as damaged or not a database', (_what, write) => {
  const file = join(temporaryFolder(), 'viewers.db')
  write(file)
  expect(refusal(file)).toMatch(/viewers\.db is damaged or not a database.*backup/)
})

test("another program's database is refused and left as it was", () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const other = new DatabaseSync(file)
  other.exec('CREATE TABLE sessions (id TEXT)')
  other.close()
  expect(refusal(file)).toMatch(/sessions\.db is a database of another program/)
  const after = new DatabaseSync(file)
  onTestFinished(() => after.close())
  expect(after.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'sessions' }])
})

test('a file of a newer version of the app is refused', () => {
  const file = join(temporaryFolder(), 'viewers.db')
  const database = openViewersFile(file, 0)
  database.exec('PRAGMA user_version = 99')
  database.close()
  expect(refusal(file)).toMatch(/newer version of this app \(format 99, supported: \d+\)\. Update this app/)
})

test('a folder that cannot be written is named, with what to do', () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o555)
  const file = join(folder, 'viewers.db')
  expect(asOrdinaryUser(() => refusal(file))).toBe(
    `The viewer database ${file} cannot be written (EACCES). Give the user of this program write access to the file ` +
      'and its folder, or set USER_STORE_URL to another file.',
  )
})

test('a read-only file in a read-only folder is refused', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'viewers.db')
  openViewersFile(file, 0).close()
  chmodSync(file, 0o444)
  chmodSync(folder, 0o555)
  expect(asOrdinaryUser(() => refusal(file))).toContain('cannot be written')
})

test('a folder in the place of the file, and a file in the place of the folder, are refused', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'viewers.db'))
  expect(refusal(join(folder, 'viewers.db'))).toContain('cannot be written (EISDIR)')
  writeFileSync(join(folder, 'data'), '')
  expect(refusal(join(folder, 'data', 'viewers.db'))).toMatch(/cannot be written \((EEXIST|ENOTDIR)\)/)
})

/** Another program that writes to the file, before it has a write-ahead log, until told or for a time. */
async function writer(file: string, heldMs: number): Promise<Worker> {
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

test('a file that another program is writing to is waited for', async () => {
  const file = join(temporaryFolder(), 'viewers.db')
  await writer(file, 100)
  openViewersFile(file, 0).close()
})

test('a file that another program keeps locked is refused', async () => {
  const file = join(temporaryFolder(), 'viewers.db')
  await writer(file, 600_000)
  expect(() => openViewersFile(file, 0, 50)).toThrow(/^Another program locks the viewer database/)
})

test('eight threads that open a file that is not there yet all find one good file', async () => {
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
}, 30_000)
