import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../../../src/tools/cli/program.ts'
import { features } from '../../../../src/tools/features.ts'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../sqlite/run-here.ts'
import { ODD_VIEWERS } from './odd-viewers.ts'

/** Makes the default file of viewers in a new folder. */
async function folderWithViewers(viewers = ODD_VIEWERS) {
  const cwd = temporaryFolder()
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  await store.importBatch(viewers, 'keep')
  await store.close()
  return cwd
}

function rowsIn(cwd: string): unknown[] {
  const database = new DatabaseSync(join(cwd, 'data', 'viewers.db'), { readOnly: true })
  const rows = database.prepare('SELECT * FROM viewers ORDER BY key').all()
  database.close()
  return rows
}

test('an import of an export makes the same rows, whatever the names, groups and attributes', async () => {
  const cwd = await folderWithViewers()
  const file = join(cwd, 'viewers.jsonl')
  const exported = await runHere(['viewers', 'export', '--output', file, '--json'], { cwd })
  expect(exported).toMatchObject({ status: 0, stderr: '' })
  expect(JSON.parse(exported.stdout)).toEqual({ file, viewers: ODD_VIEWERS.length, refusals: [] })
  const other = temporaryFolder()
  expect(await runHere(['viewers', 'import', file], { cwd: other })).toMatchObject({ status: 0, stderr: '' })
  expect(rowsIn(cwd)).toHaveLength(ODD_VIEWERS.length)
  expect(rowsIn(other)).toEqual(rowsIn(cwd))
})

test('only this user can read the file of an export, in place of an older file that others can read', async () => {
  const cwd = await folderWithViewers()
  const file = join(cwd, 'viewers.jsonl')
  writeFileSync(file, '', { mode: 0o644 })
  const { stdout } = await runHere(['viewers', 'export', '--output', file], { cwd })
  expect(stdout).toMatch(/^Exported \d+ viewers to .*, without .*passkeys\.\n$/)
  expect([statSync(file).mode & 0o777, readdirSync(cwd).toSorted()]).toEqual([0o600, ['data', 'viewers.jsonl']])
})

test('an export names the hashes that an import refuses without an option', async () => {
  const weak = { passwordHash: '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/', groups: [], disabled: false, attributes: {} }
  const cwd = await folderWithViewers([{ username: 'ada', ...weak }])
  const { status, stderr } = await runHere(['viewers', 'export'], { cwd })
  expect([status, stderr]).toEqual([0, expect.stringMatching(/refuses 1 viewer, .*MD5.*--accept-weak-hashes/)])
})

test('an export without viewers is a fault, and writes no file', async () => {
  const cwd = await folderWithViewers([])
  const { status, stderr } = await runHere(['viewers', 'export', '--output', join(cwd, 'v')], { cwd })
  expect([status, stderr]).toEqual([1, expect.stringContaining('no viewers')])
  expect(readdirSync(cwd)).toEqual(['data'])
})

test.each([
  ['refuses a terminal', [], 1, ''],
  ['writes to a terminal with --output -', ['--output', '-'], 0, '{"username":"'],
])('an export %s', async (_what, options, status, start) => {
  const cwd = await folderWithViewers()
  const stdout = Object.assign(new PassThrough(), { isTTY: true })
  const stderr = new PassThrough().resume()
  const text = stdout.toArray()
  const ended = await runCommandLine(
    ['viewers', 'export', ...options],
    {
      env: { USER_STORE_URL: `sqlite:${join(cwd, 'data', 'viewers.db')}` },
      stdin: new PassThrough(),
      stdout,
      stderr,
      onInterrupt: () => () => {},
    },
    features,
  )
  stdout.end()
  const written = Buffer.concat(await text).toString()
  expect([ended, written.slice(0, start.length), written === '']).toEqual([status, start, start === ''])
})

test('an export waits for a slow reader, and keeps few viewers in memory', async () => {
  const viewers = Array.from({ length: 4_000 }, (_, index) => ({ ...ODD_VIEWERS[0], username: `viewer-${index}` }))
  const cwd = await folderWithViewers(viewers as typeof ODD_VIEWERS)
  let mostWaiting = 0
  let bytes = 0
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      mostWaiting = Math.max(mostWaiting, stdout.writableLength)
      bytes += chunk.length
      setTimeout(done, 2)
    },
  })
  const env = { USER_STORE_URL: `sqlite:${join(cwd, 'data', 'viewers.db')}` }
  const io = { env, stdin: new PassThrough(), stdout, stderr: new PassThrough().resume(), onInterrupt: () => () => {} }
  expect(await runCommandLine(['viewers', 'export'], io, features)).toBe(0)
  await new Promise<void>((resolve) => void stdout.end(resolve))
  expect(bytes).toBeGreaterThan(800_000)
  expect(mostWaiting).toBeLessThan(200_000)
})

test('export --person writes all that is known of one person into a new file, without the hash', async () => {
  const cwd = temporaryFolder()
  await runHere(['viewers', 'add', 'ada', '--attribute', 'floor=2'], { cwd, stdin: 'correct horse battery' })
  const file = join(cwd, 'ada.json')
  const args = ['viewers', 'export', '--person', 'ada', '--output', file]
  expect(await runHere(args, { cwd })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('all that is known'),
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const text = readFileSync(file, 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    username: 'ada',
    attributes: { floor: '2' },
    sessions: [],
    log: [],
    faults: [],
  })
  expect(text).not.toContain('argon2')
  const again = await runHere(args, { cwd })
  expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was overwritten') })
  expect(await runHere(['viewers', 'export', '--person', 'zoe'], { cwd })).toMatchObject({ status: 1 })
})

test('export --person has the lines of both logs about the person, each with its file, and no line about another', async () => {
  const cwd = temporaryFolder()
  const SECURITY_LOG_FILE = join(cwd, 'security.log')
  const MANAGER_LOG_FILE = join(cwd, 'manager.log')
  const line = { category: 'security', time: '2026-11-29T10:00:00.000Z' }
  const linesOf = (fields: object) =>
    ['Ada', 'bob'].map((viewer) => `${JSON.stringify({ ...line, ...fields, viewer })}\n`).join('')
  writeFileSync(SECURITY_LOG_FILE, linesOf({ event: 'sign-in', outcome: 'signed-in', entryPoint: 'default' }))
  writeFileSync(MANAGER_LOG_FILE, linesOf({ event: 'manager', outcome: 'viewer-edited', reason: 'by eve' }))
  // A full log was renamed.
  writeFileSync(`${MANAGER_LOG_FILE}.1`, linesOf({ event: 'manager', outcome: 'viewer-added', reason: 'by eve' }))
  const env = { SECURITY_LOG_FILE, MANAGER_LOG_FILE }
  await runHere(['viewers', 'add', 'ada'], { cwd, env, stdin: 'correct horse battery' })
  const { stdout } = await runHere(['viewers', 'export', '--person', 'ada'], { cwd, env })
  expect(JSON.parse(stdout).log).toMatchObject([
    { file: SECURITY_LOG_FILE, outcome: 'signed-in', viewer: 'Ada' },
    { file: `${MANAGER_LOG_FILE}.1`, outcome: 'viewer-added', reason: 'by eve' },
    { file: MANAGER_LOG_FILE, outcome: 'viewer-edited' },
  ])
})
