import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionData, Store } from 'express-session'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteSessionStore } from '../../../../src/sessions/sqlite-store.ts'
import { createEndedSignIns } from '../../../../src/sign-in-limits/ended-sign-ins.ts'
import { openCountsFile } from '../../../../src/stores/counts-file/counts-file.ts'
import { runCommandLine } from '../../../../src/tools/cli/program.ts'
import { features } from '../../../../src/tools/features.ts'
import { providerSessionOf } from '../../../sessions/identity-sessions-contract.ts'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../sqlite/run-here.ts'

let file: string
let store: Store
beforeEach(() => {
  file = join(temporaryFolder(), 'sessions.db')
})

/** Opens sessions as a running login app does. */
function openRunning(...usernames: string[]): void {
  const sessions = openSqliteSessionStore(
    file,
    { lifetimeSeconds: 9_999, idleSeconds: 9_999, mostPerViewer: 20 },
    () => 1_000,
  )
  onTestFinished(() => sessions.close())
  store = sessions.store
  for (const [index, username] of usernames.entries()) {
    const data = { cookie: { originalMaxAge: null }, viewer: { username, signedInAtSeconds: 1_000 } }
    store.set(`session-${index}`, data as SessionData, () => {})
  }
}

function signedIn(index: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    store.get(`session-${index}`, (error, data) => (error ? reject(error) : resolve(Boolean(data))))
  })
}

const end = (...args: string[]) =>
  runHere(['sessions', 'end', ...args], {
    cwd: temporaryFolder(),
    env: { ...SETTINGS, SESSION_STORE_URL: `sqlite:${file}` },
  })

test('sessions end signs out one viewer in any case of the name, while the app runs', async () => {
  openRunning('Ada@Example.com', 'Ada@Example.com', 'eve')
  expect(await end('ada@example.com')).toMatchObject({ status: 0, stdout: 'Ended 2 sessions of ada@example.com.\n' })
  expect(await Promise.all([0, 1, 2].map(signedIn))).toEqual([false, false, true])
  expect((await end('ada@example.com')).stdout).toBe('Ended 0 sessions of ada@example.com.\n')
})

test('sessions end also ends the sign-ins of before that wait', async () => {
  const cwd = temporaryFolder()
  openRunning('ada')
  const counts = openCountsFile(join(cwd, 'limits.db'), expect.unreachable)
  onTestFinished(() => counts.close())
  const { hasEnded } = createEndedSignIns(counts.openCounter)
  const now = Date.now() / 1000
  expect(await hasEnded({ username: 'ada', signedInAtSeconds: now - 60 })).toBe(false)
  // The read holds the file for 20 ms, and the command runs in this process.
  await pause(50)
  await runHere(['sessions', 'end', 'ADA'], {
    cwd,
    env: { ...SETTINGS, SESSION_STORE_URL: `sqlite:${file}`, LIMITS_STORE_URL: `sqlite:${join(cwd, 'limits.db')}` },
  })
  expect(await hasEnded({ username: 'ada', signedInAtSeconds: now - 60 })).toBe(true)
  expect(await hasEnded({ username: 'ada', signedInAtSeconds: now + 60 })).toBe(false)
})

test('sessions end signs out SSO viewers with the name too, and says how many', async () => {
  openRunning('Ada')
  store.set('session-1', providerSessionOf('ada', 1_000), () => {})
  expect((await end('ada')).stdout).toBe('Ended 2 sessions of ada, 1 of them from an identity provider.\n')
  expect(await Promise.all([0, 1].map(signedIn))).toEqual([false, false])
  store.set('session-1', providerSessionOf('ada', 1_000), () => {})
  expect(JSON.parse((await end('ADA', '--json')).stdout)).toEqual({ ended: 1, endedOfProviders: 1, endedOfGuests: {} })
})

describe('viewers set-password', () => {
  const setPassword = async (...args: string[]) => {
    const cwd = temporaryFolder()
    const env = { SESSION_STORE_URL: `sqlite:${file}` }
    const stdin = 'seven quiet herons'
    await runHere(['viewers', 'add', 'Ada'], { cwd, stdin })
    return runHere(['viewers', 'set-password', 'ada', ...args], { cwd, stdin, env })
  }

  test('set-password --end-sessions signs out this viewer only', async () => {
    openRunning('Ada', 'eve')
    const { status, stdout } = await setPassword('--end-sessions')
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Set a new password for Ada.\nEnded 1 session of Ada.\n' })
    expect(await Promise.all([0, 1].map(signedIn))).toEqual([false, true])
  })

  test('set-password --end-sessions leaves an SSO viewer with the same name signed in', async () => {
    openRunning('Ada')
    store.set('session-1', providerSessionOf('Ada', 1_000), () => {})
    expect((await setPassword('--end-sessions')).stdout).toContain('Ended 1 session of Ada.\n')
    expect(await Promise.all([0, 1].map(signedIn))).toEqual([false, true])
  })

  test('set-password --end-sessions --json counts the sessions', async () => {
    openRunning('Ada')
    const { stdout } = await setPassword('--end-sessions', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ username: 'Ada', ended: 1 })
  })

  test('set-password --end-sessions tells that the password is set if the session store fails', async () => {
    writeFileSync(file, 'no database')
    const { status, stdout, stderr } = await setPassword('--end-sessions')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^Failed: The new password is set, but .* SESSION_STORE_URL/)
  })

  test('set-password without --end-sessions leaves the sessions to the app', async () => {
    openRunning('Ada')
    expect(await setPassword()).toMatchObject({ status: 0, stdout: 'Set a new password for Ada.\n' })
    expect(await signedIn(0)).toBe(true)
  })
})

test.each([[['--all']], [['--all', '--yes']]])(
  'sessions end %j signs all viewers out without asking a script',
  async (args) => {
    openRunning('ada', 'eve')
    expect(JSON.parse((await end(...args, '--json')).stdout)).toEqual({ ended: 2 })
    expect(await signedIn(0)).toBe(false)
  },
)

test.each([
  ['y', 0, false],
  ['n', 1, true],
  ['\u0003', 1, true],
])('sessions end --all asks at a terminal: the key %j ends with status %d', async (key, status, isSignedIn) => {
  openRunning('ada')
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 30 })
  const env = { ...SETTINGS, SESSION_STORE_URL: `sqlite:${file}` }
  const io = { env, stdin, stdout: new PassThrough(), stderr, onInterrupt: () => () => {} }
  const ended = runCommandLine(['sessions', 'end', '--all'], io, features)
  let seen = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    seen += text
  })
  await expect.poll(() => seen, { interval: 5, timeout: 15_000 }).toContain('Sign all viewers out?')
  // The prompt listens one tick after it has drawn itself.
  await pause(0)
  stdin.write(key)
  expect(await ended).toBe(status)
  expect(await signedIn(0)).toBe(isSignedIn)
})

test('a missing session file means no sessions, and a file that is not a database is refused', async () => {
  expect(await end('ada')).toMatchObject({ status: 0, stdout: 'Ended 0 sessions of ada.\n' })
  writeFileSync(file, 'no database '.repeat(100))
  const { status, stderr } = await end('ada')
  expect(status).toBe(1)
  expect(stderr).toMatch(/^Failed: SESSION_STORE_URL: .*\n$/)
})

test.each([[[]], [['ada', '--all']]])('sessions end %j is wrong usage', async (args) => {
  expect(await end(...args)).toMatchObject({ status: 2, stdout: '' })
})
