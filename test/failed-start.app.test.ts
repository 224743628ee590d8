import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockedFolder, programSettings } from './login/login-program.ts'
import { runLoginProgram } from './login/start-program.ts'
import { viewersUrl } from './users/sqlite/viewers-url.ts'
import { temporaryFolder } from './users/temporary-folder.ts'

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

test('the program does not start when the folder of the sessions is not writable', async () => {
  const { folder, options } = lockedFolder()
  const settings = programSettings('/tmp')
  settings.LIMITS_STORE_URL = 'memory:'
  settings.SESSION_STORE_URL = `sqlite:${join(folder, 'sessions.db')}`
  settings.USER_STORE_URL = viewersUrl(writableByAll())
  expect(await sentenceOf(settings, options)).toMatch(/^SESSION_STORE_URL: .*sessions\.db.* writable/)
})

test('the program does not start when its file of viewers is not a database', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data', 'viewers.db'), 'text and no database '.repeat(500))
  expect(await sentenceOf(programSettings(folder))).toMatch(/viewers\.db is damaged or not a database.*backup/)
})

function writableByAll(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  return folder
}
