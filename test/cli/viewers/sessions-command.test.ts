import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionData, Store } from 'express-session'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../../src/cli/program.ts'
import { openSqliteSessionStore } from '../../../src/sessions/sqlite-store.ts'
import { SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

let file: string
let store: Store
beforeEach(() => {
  file = join(temporaryFolder(), 'sessions.db')
})

/** The sessions of a login app that runs meanwhile. */
function openRunning(...usernames: string[]): void {
  const sessions = openSqliteSessionStore(file, { lifetimeSeconds: 9_999, idleSeconds: 9_999 }, () => 1_000)
  onTestFinished(() => sessions.close())
  store = sessions.store
  for (const [index, username] of usernames.entries()) {
    const data = { cookie: { originalMaxAge: null }, viewer: { username, signedInAtSeconds: 1_000 } }
    store.set(`session-${index}`, data as SessionData)
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

test('all sessions of a viewer end at once, whatever the case, while the app runs, and no other', async () => {
  openRunning('Ada@Example.com', 'Ada@Example.com', 'eve')
  expect(await end('ada@example.com')).toEqual({
    status: 0,
    stdout: 'Ended 2 sessions of ada@example.com.\n',
    stderr: '',
  })
  expect(await Promise.all([0, 1, 2].map(signedIn))).toEqual([false, false, true])
  expect((await end('ada@example.com')).stdout).toBe('Ended 0 sessions of ada@example.com.\n')
})

describe('a new password with --end-sessions', () => {
  const setPassword = async (...args: string[]) => {
    const cwd = temporaryFolder()
    const env = { SESSION_STORE_URL: `sqlite:${file}` }
    const stdin = 'seven quiet herons'
    await runHere(['viewers', 'add', 'Ada'], { cwd, stdin })
    return runHere(['viewers', 'set-password', 'ada', ...args], { cwd, stdin, env })
  }

  test('signs the viewer out everywhere, and nobody else', async () => {
    openRunning('Ada', 'eve')
    const { status, stdout } = await setPassword('--end-sessions')
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'New password for Ada.\nEnded 1 session of Ada.\n' })
    expect(await Promise.all([0, 1].map(signedIn))).toEqual([false, true])
  })

  test('says in JSON how many sessions there were', async () => {
    openRunning('Ada')
    const { stdout } = await setPassword('--end-sessions', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ username: 'Ada', ended: 1 })
  })

  test('says what is done and what is not when the sessions cannot be reached', async () => {
    writeFileSync(file, 'no database')
    const { status, stdout, stderr } = await setPassword('--end-sessions')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(
      /^Failed: The password is new, but the sessions go on\. SESSION_STORE_URL: .* cannot be used/,
    )
  })

  test('leaves them alone without it', async () => {
    openRunning('Ada')
    expect(await setPassword()).toMatchObject({ status: 0, stdout: 'New password for Ada.\n' })
    expect(await signedIn(0)).toBe(true)
  })
})

test.each([[['--all']], [['--all', '--yes']]])('a script signs everybody out with %j', async (args) => {
  openRunning('ada', 'eve')
  expect(JSON.parse((await end(...args, '--json')).stdout)).toEqual({ ended: 2 })
  expect(await signedIn(0)).toBe(false)
})

test.each([
  ['y', 0, false],
  ['n', 1, true],
  ['\u0003', 1, true],
])('at a terminal that is asked, and %j decides', async (key, status, isSignedIn) => {
  openRunning('ada')
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 30 })
  const env = { ...SETTINGS, SESSION_STORE_URL: `sqlite:${file}` }
  const io = { env, stdin, stdout: new PassThrough(), stderr, onInterrupt: () => () => {} }
  const ended = runCommandLine(['sessions', 'end', '--all'], io)
  let seen = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    seen += text
  })
  await expect.poll(() => seen, { interval: 5, timeout: 15_000 }).toContain('Sign everybody out?')
  // The prompt draws itself first and listens a tick later.
  await pause(0)
  stdin.write(key)
  expect(await ended).toBe(status)
  expect(await signedIn(0)).toBe(isSignedIn)
})

test('no file is no session, and a file that is no database is said to be none', async () => {
  expect(await end('ada')).toMatchObject({ status: 0, stdout: 'Ended 0 sessions of ada.\n' })
  writeFileSync(file, 'no database '.repeat(100))
  const { status, stderr } = await end('ada')
  expect(status).toBe(1)
  expect(stderr).toMatch(/^Failed: SESSION_STORE_URL: the session file .* cannot be used \(.*\)\.\n$/)
})

test.each([[[]], [['ada', '--all']]])('%j is wrong usage', async (args) => {
  expect(await end(...args)).toMatchObject({ status: 2, stdout: '' })
})
