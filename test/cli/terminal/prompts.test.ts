import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { expect, test, vi } from 'vitest'
import { runCommandLine } from '../../../src/cli/program.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { signIn } from '../viewers/sign-in.ts'

// Hashing takes its time on a machine that runs other tests as well.
vi.setConfig({ testTimeout: 30_000 })

const password = 'correct horse battery'
const enter = '\r'
const ctrlC = '\u0003'
const ctrlD = '\u0004'

/** Somebody at a terminal who, each time a text appears, types what follows it. */
async function atTerminal(cwd: string, args: readonly string[], steps: readonly [sees: string, types: string][]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => stdin })
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 30 })
  const env = { USER_STORE_URL: `sqlite:${join(cwd, 'data', 'viewers.db')}` }
  let seen = ''
  let from = 0
  stderr.setEncoding('utf8').on('data', (text: string) => {
    seen += stripVTControlCharacters(text)
  })
  const ended = runCommandLine(args, { env, stdin, stdout, stderr, onInterrupt: () => () => {} })
  for (const [sees, types] of steps) {
    await expect.poll(() => seen.indexOf(sees, from), { interval: 5, timeout: 20_000 }).toBeGreaterThanOrEqual(0)
    from = seen.length
    // The prompt draws itself first and listens a tick later.
    await pause(0)
    stdin.write(types)
  }
  const status = await ended
  stdout.end()
  return { status, seen, stdout: (await stdout.toArray()).join('') }
}

async function folderWithAda(): Promise<string> {
  const cwd = temporaryFolder()
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  await store.add({ username: 'ada', groups: [], attributes: {} }, password)
  await store.close()
  return cwd
}

test('at a terminal the password is asked for twice, never shown, and kept out of standard output', async () => {
  const cwd = temporaryFolder()
  const { status, seen, stdout } = await atTerminal(
    cwd,
    ['viewers', 'add', 'ada', '--json'],
    [
      ['Password for ada', password + enter],
      ['The same password again', password + enter],
    ],
  )
  expect(status).toBe(0)
  expect(stdout).toBe('{"username":"ada","groups":[],"attributes":{},"disabled":false}\n')
  expect(seen).not.toContain(password)
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: true })
})

test('a password that cannot be chosen, or is not repeated, is asked for again', async () => {
  const cwd = temporaryFolder()
  const { status } = await atTerminal(
    cwd,
    ['viewers', 'add', 'ada'],
    [
      ['Password for ada', `password1${enter}`],
      ['among the 10,000 most common', password + enter],
      ['The same password again', `another heron${enter}`],
      ['This is not the same password.', password + enter],
    ],
  )
  expect(status).toBe(0)
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: true })
})

test.each([
  ['Ctrl-C at the first prompt', [['Password for ada', ctrlC]]],
  ['Ctrl-D at the first prompt', [['Password for ada', ctrlD]]],
  [
    'Ctrl-C at the second prompt',
    [
      ['Password for ada', `another heron ladder${enter}`],
      ['The same password again', ctrlC],
    ],
  ],
  [
    'Ctrl-D at the second prompt',
    [
      ['Password for ada', `another heron ladder${enter}`],
      ['The same password again', ctrlD],
    ],
  ],
] satisfies [string, [string, string][]][])('%s changes nothing', async (_which, steps) => {
  const cwd = await folderWithAda()
  const { status, seen } = await atTerminal(cwd, ['viewers', 'set-password', 'ada'], steps)
  expect(status).toBe(1)
  expect(seen).toContain('Failed: Cancelled; nothing was changed.')
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: true })
})

test.each([
  ['y', 0, false],
  [enter, 1, true],
  [ctrlC, 1, true],
  [ctrlD, 1, true],
])('a removal is asked about, and %j ends with %d', async (types, expected, isThere) => {
  const cwd = await folderWithAda()
  const { status } = await atTerminal(cwd, ['viewers', 'remove', 'ada'], [['Remove the viewer ada?', types]])
  expect(status).toBe(expected)
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: isThere })
})
