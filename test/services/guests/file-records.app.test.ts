import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError, UpstreamError } from '../../../src/errors.ts'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { filesWith } from '../../server/files-with.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { recordsContract } from './records-contract.ts'

const nowSeconds = () => 1_800_000_000
const newFile = () => join(temporaryFolder(), 'data', 'guests.db')

function open(file: string, now = nowSeconds) {
  const store = openFileRecords(file, { nowSeconds: now })
  onTestFinished(store.close)
  return store
}

recordsContract('SQLite', (now) => {
  const file = newFile()
  return Promise.resolve({ store: open(file, now), openOther: () => Promise.resolve(open(file, now)) })
})

test('only this user can read the guests file', () => {
  const file = newFile()
  open(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.each([
  [
    'a file of a newer release',
    (file: string) =>
      new DatabaseSync(file).exec(
        "PRAGMA application_id = 1450668615; PRAGMA user_version = 99; CREATE TABLE app_release AS SELECT '9.9.9' AS name",
      ),
    '9.9.9',
  ],
  [
    'a database of another program',
    (file: string) => new DatabaseSync(file).exec('CREATE TABLE own (a)'),
    'another kind',
  ],
  [
    'a text',
    (file: string) => writeFileSync(file, 'Not a database, but a text that is long enough to be one.'.repeat(20)),
    'backup',
  ],
])('%s is refused, and left as it is', (_case, make, message) => {
  const file = join(temporaryFolder(), 'guests.db')
  make(file)
  expect(() => openFileRecords(file, { nowSeconds })).toThrow(ConfigError)
  expect(() => openFileRecords(file, { nowSeconds })).toThrow(message)
})

test('a file that another process locks gives an UpstreamError, and works again afterwards', async () => {
  const file = newFile()
  const store = open(file)
  const locking = new DatabaseSync(file)
  locking.exec('BEGIN IMMEDIATE')
  await expect(store.write([{ kind: 'code', key: 'a', text: '1' }])).rejects.toThrow(UpstreamError)
  expect(store.isAvailable()).toBe(false)
  locking.exec('ROLLBACK')
  locking.close()
  expect(await store.write([{ kind: 'code', key: 'a', text: '1' }])).not.toBeNull()
  expect(store.isAvailable()).toBe(true)
})

test('a record that another process writes again while ended records go is not deleted', async () => {
  const file = newFile()
  const store = open(file)
  await store.write(['a', 'b'].map((key) => ({ kind: 'code', key, text: 'old', endsAtSeconds: nowSeconds() })))
  const writer = new DatabaseSync(file)
  writer.exec("BEGIN IMMEDIATE; UPDATE records SET text = 'new', ends_at = NULL WHERE key = 'a'")
  await expect(store.prune()).rejects.toThrow(UpstreamError)
  writer.exec('COMMIT')
  writer.close()
  expect([await store.prune(), await store.read('code', 'a')]).toMatchObject([1, { text: 'new' }])
})

test('a killed writer leaves every batch whole, and what it said was written', async () => {
  const file = newFile()
  const store = open(file)
  const module = new URL('../../../src/services/guests/file-records.ts', import.meta.url).href
  const program = `
    const { openFileRecords } = await import(${JSON.stringify(module)})
    const store = openFileRecords(${JSON.stringify(file)}, { nowSeconds: () => 0 })
    for (let round = 1; ; round += 1) {
      await store.write(['a', 'b', 'c'].map((key) => ({ kind: 'code', key, text: String(round) })))
      process.stdout.write(round + '\\n')
    }`
  let written = 0
  for (let kill = 0; kill < 3; kill += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.stdout.on('data', (data: Buffer) => {
      written = Number(data.toString().trim().split('\n').at(-1))
    })
    await once(child.stdout, 'data')
    await expect.poll(() => written, { interval: 5 }).toBeGreaterThan(20)
    child.kill('SIGKILL')
    await once(child, 'close')
    const texts = (await store.list('code', { limit: 10 })).map(({ text }) => Number(text))
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toBeGreaterThanOrEqual(written)
    written = 0
  }
})

test('no byte of a record that a command deletes is left, while the app has the file open', async () => {
  const file = newFile()
  const app = open(file)
  await app.write([{ kind: 'guest', key: 'ada@example.com', text: '"lovelace"' }])
  const command = openFileRecords(file, { nowSeconds, isCommand: true })
  await command.write([{ kind: 'guest', key: 'ada@example.com', text: null }])
  await command.close()
  for (const text of ['ada@example.com', 'lovelace']) expect(filesWith(dirname(file), text)).toEqual([])
})
