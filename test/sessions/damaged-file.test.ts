import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { openSqliteSessionStore } from '../../src/sessions/sqlite-store.ts'
import { openViewersFile } from '../../src/users/sqlite/database-file.ts'
import { rowsIn } from '../login/signed-in.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const LIMITS = { lifetimeSeconds: 1000, idleSeconds: 100, mostPerViewer: 20 }

function newFile(): string {
  return join(temporaryFolder(), 'sessions.db')
}

function open(file: string) {
  const sessionStore = openSqliteSessionStore(file, LIMITS, () => 10_000)
  onTestFinished(() => sessionStore.close())
  return sessionStore
}

/** Damages the last page, and keeps the header. */
function spoilViewers(file: string): void {
  openViewersFile(file, 50).close()
  const content = readFileSync(file)
  writeFileSync(file, content.fill(255, 4096))
}

test.each([
  ['is not a database', () => Buffer.alloc(5000)],
  ['is truncated', (content: Buffer) => content.subarray(0, 8192)],
  [
    'has a damaged page',
    (content: Buffer) => Buffer.concat([content.subarray(0, 4096), content.subarray(4096).fill(255)]),
  ],
])('a session file that %s is moved aside with one warning, and the app starts with a new one', (_case, spoil) => {
  const file = newFile()
  open(file).close()
  const damaged = spoil(readFileSync(file))
  writeFileSync(file, damaged)
  const warnings: string[] = []
  const warn = (message: string) => warnings.push(message)
  for (let start = 0; start < 2; start += 1) openSqliteSessionStore(file, LIMITS, () => 10_000, warn).close()
  const [aside = ''] = readdirSync(dirname(file)).filter((name) => name.includes('.damaged-'))
  expect(readFileSync(join(dirname(file), aside))).toEqual(damaged)
  expect(warnings).toEqual([expect.stringContaining(aside)])
  expect(rowsIn(file)).toEqual([])
})

test.each([
  ['a text', (file: string) => writeFileSync(file, 'HASH_SECRET=1\n'.repeat(400))],
  ['a damaged file of viewers', spoilViewers],
])('%s at SESSION_STORE_URL by mistake stays where it is', (_case, prepare) => {
  const file = newFile()
  prepare(file)
  const before = readFileSync(file)
  expect(() => open(file)).toThrow(ConfigError)
  expect(readFileSync(file)).toEqual(before)
})

test('a link to a damaged session file stays a link', () => {
  const file = newFile()
  const link = newFile()
  writeFileSync(file, Buffer.alloc(5000))
  symlinkSync(file, link)
  open(link)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(rowsIn(file)).toEqual([])
})
