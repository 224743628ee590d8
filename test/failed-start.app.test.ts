import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addAda, lockedFolder, programSettings, runLoginProgram } from './login/login-program.ts'
import { temporaryFolder } from './users/temporary-folder.ts'

// Each test starts one or two processes.
vi.setConfig({ testTimeout: 60_000 })

/** Runs the program until it ends with status 1, and returns its one sentence. */
async function sentenceOf(settings: Record<string, string>, options = {}): Promise<string> {
  const { status, stdout, stderr } = await runLoginProgram(settings, options).ended
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).not.toMatch(/\n.|\bat .*:\d+|Error:|[A-Z]MARKER/)
  return stderr.trimEnd()
}

test('the program does not start when its port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  expect(await sentenceOf({ ...programSettings(), PORT: String(port) })).toMatch(new RegExp(`^Port ${port} .*PORT\\.$`))
})

test('the program does not start when HOST is not an address of this machine', async () => {
  for (const HOST of ['192.0.2.1', 'nowhere.invalid']) {
    expect(await sentenceOf({ ...programSettings(), HOST })).toMatch(
      /^HOST must be an address of this machine, such as 0\.0\.0\.0 or 127\.0\.0\.1 \(E\w+\)\.$/,
    )
  }
})

test('the program does not start when its data folder is not writable', async () => {
  const { folder, options } = lockedFolder()
  const sentence = await sentenceOf(programSettings(folder), options)
  expect(sentence).toContain(join(folder, 'data', 'viewers.db'))
  expect(sentence).toMatch(/USER_STORE_URL/)
})

test('the program does not start when the folder of the sessions cannot be created', async () => {
  const { folder, options } = lockedFolder()
  const settings = programSettings('/tmp')
  settings.SESSION_STORE_URL = `sqlite:${join(folder, 'data', 'sessions.db')}`
  settings.USER_STORE_URL = `sqlite:${join(writableByAll(), 'viewers.db')}`
  expect(await sentenceOf(settings, options)).toMatch(/^SESSION_STORE_URL: .*data.*EACCES.* writ/)
})

test('the program does not start when the folder of the sessions is not writable', async () => {
  const { folder, options } = lockedFolder()
  const settings = programSettings('/tmp')
  settings.SESSION_STORE_URL = `sqlite:${join(folder, 'sessions.db')}`
  settings.USER_STORE_URL = `sqlite:${join(writableByAll(), 'viewers.db')}`
  expect(await sentenceOf(settings, options)).toMatch(/^SESSION_STORE_URL: .*sessions\.db.* writable/)
})

test('the program does not start when a file has the name of its data folder', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'data'), '')
  expect(await sentenceOf(programSettings(folder))).toMatch(/data\/viewers\.db.*\(E\w+\).*USER_STORE_URL/)
})

const notADatabase = (file: string) => writeFileSync(file, 'text and no database '.repeat(500))
const newerVersion = (file: string) => {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA user_version = 99')
  database.close()
}

test.each([
  ['viewers.db', 'not a database', notADatabase, /viewers\.db is damaged or not a database.*backup/],
  ['viewers.db', 'of a newer version', newerVersion, /viewers\.db was last written by a newer version.*[Uu]pdate/],
  ['viewers.db', 'a folder', mkdirSync, /viewers\.db cannot be written .*USER_STORE_URL/],
  [
    'sessions.db',
    'no database',
    notADatabase,
    /^SESSION_STORE_URL: .*sessions\.db .*not a database.*move the file away/,
  ],
  ['sessions.db', 'of a newer version', newerVersion, /^SESSION_STORE_URL: .*sessions\.db .*newer version/],
  ['sessions.db', 'a folder', mkdirSync, /^SESSION_STORE_URL: .*sessions\.db cannot be used/],
])('the program does not start when %s is %s', async (name, fault, spoil, sentence) => {
  const folder = temporaryFolder()
  const settings = programSettings(folder)
  mkdirSync(join(folder, 'data'))
  // Only the file of viewers must exist before the version is changed.
  if (name === 'viewers.db' && fault === 'of a newer version') await addAda(settings)
  spoil(join(folder, 'data', name))
  expect(await sentenceOf(settings)).toMatch(sentence)
})

function writableByAll(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  return folder
}
