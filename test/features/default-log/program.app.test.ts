import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programSettings } from '../../login/login-program.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const FULL_BYTES = 50_000_000
const WARNING = '"security-log-failed"'

/** Starts the program in the folder, with its stores in another one, and refuses one sign-in. */
async function startIn(cwd: string, settings: Readonly<Record<string, string>> = {}) {
  const { SECURITY_LOG_FILE: _off, ...others } = programSettings()
  const program = await startLoginProgram({ ...others, ...settings }, { cwd })
  const at = (path: string) => `http://127.0.0.1:${program.port}${path}`
  const body = new URLSearchParams({ username: 'a', password: 'wrong' })
  const { status: signIn } = await fetch(at('/sign-in'), { method: 'POST', body })
  const { status: ready } = await fetch(at('/health/ready'))
  const output = await program.says('"outcome":"wrong-credentials"')
  program.child.kill('SIGTERM')
  await program.ended
  return { signIn, ready, warnings: output.split('\n').filter((line) => line.includes(WARNING)) }
}

function folderWithFullLog() {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'data'))
  writeFileSync(join(cwd, 'data', 'security.log'), '')
  truncateSync(join(cwd, 'data', 'security.log'), FULL_BYTES)
  return { cwd, files: () => readdirSync(join(cwd, 'data')).toSorted() }
}

test('the app keeps a security log for this user only, if no setting names one', async () => {
  const cwd = temporaryFolder()
  expect(await startIn(cwd, { LOG_LEVEL: 'info' })).toEqual({ signIn: 401, ready: 200, warnings: [] })
  const path = join(cwd, 'data', 'security.log')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ event: 'sign-in', outcome: 'wrong-credentials' })
  expect([statSync(path).mode & 0o777, statSync(join(cwd, 'data')).mode & 0o777]).toEqual([0o600, 0o700])
})

test('a full log is renamed after a restart', async () => {
  const { cwd, files } = folderWithFullLog()
  await startIn(cwd)
  // A new file is created within a second.
  expect(files().filter((name) => name !== 'security.log')).toEqual([expect.stringMatching(/^security\.log\.20/)])
})

test('the app never renames a log that SECURITY_LOG_FILE names, not even at the place of its own', async () => {
  const { cwd, files } = folderWithFullLog()
  await startIn(cwd, { SECURITY_LOG_FILE: 'data/security.log' })
  expect(files()).toEqual(['security.log'])
  expect(statSync(join(cwd, 'data', 'security.log')).size).toBeGreaterThan(FULL_BYTES)
})

test('SECURITY_LOG_FILE=off writes no file', async () => {
  const cwd = temporaryFolder()
  expect(await startIn(cwd, { SECURITY_LOG_FILE: 'off' })).toMatchObject({ signIn: 401, warnings: [] })
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})

test('the app starts with one warning, and is ready, if the folder of its log cannot be written', async () => {
  const cwd = temporaryFolder()
  // Root can write every folder, so that here a file is in its place.
  writeFileSync(join(cwd, 'data'), '')
  const { signIn, ready, warnings } = await startIn(cwd)
  expect([signIn, ready]).toEqual([401, 200])
  expect(warnings).toEqual([expect.stringMatching(/"level":40.*data\/security\.log cannot be opened \(E\w+\)/)])
})
