import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../../../src/tools/cli/program.ts'
import { features } from '../../../../src/tools/features.ts'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import { passkey } from '../../../features/passkeys/passkeys-contract.ts'
import { viewersUrl } from '../../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { signIn } from '../viewers/sign-in.ts'

const password = 'correct horse battery'
const enter = '\r'
const ctrlC = '\u0003'
const ctrlD = '\u0004'

/** Runs a command at a terminal. At each text that appears, types the answer of that step. */
async function atTerminal(
  cwd: string,
  args: readonly string[],
  steps: readonly [sees: string, types: string][],
  settings: Record<string, string> = {},
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => stdin })
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 30 })
  const env = { USER_STORE_URL: viewersUrl(join(cwd, 'data')), ...settings }
  let seen = ''
  let from = 0
  stderr.setEncoding('utf8').on('data', (text: string) => {
    seen += stripVTControlCharacters(text)
  })
  const ended = runCommandLine(args, { env, stdin, stdout, stderr, onInterrupt: () => () => {} }, features)
  for (const [sees, types] of steps) {
    await expect.poll(() => seen.indexOf(sees, from), { interval: 5, timeout: 20_000 }).toBeGreaterThanOrEqual(0)
    from = seen.length
    // The prompt listens one tick after it has drawn itself.
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

test('a terminal prompts twice for the password and never shows it', async () => {
  const cwd = temporaryFolder()
  const { status, seen, stdout } = await atTerminal(
    cwd,
    ['viewers', 'add', 'ada', '--json'],
    [
      ['Password for ada', password + enter],
      ['Repeat the password', password + enter],
    ],
  )
  expect(status).toBe(0)
  expect(stdout).toBe('{"username":"ada","groups":[],"attributes":{},"disabled":false}\n')
  expect(seen).not.toContain(password)
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: true })
})

test('the prompt asks again after a common password or a wrong repetition', async () => {
  const cwd = temporaryFolder()
  const { status } = await atTerminal(
    cwd,
    ['viewers', 'add', 'ada'],
    [
      ['Password for ada', `password1${enter}`],
      ['common', password + enter],
      ['Repeat the password', `another heron${enter}`],
      ['do not match', password + enter],
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
      ['Repeat the password', ctrlC],
    ],
  ],
  [
    'Ctrl-D at the second prompt',
    [
      ['Password for ada', `another heron ladder${enter}`],
      ['Repeat the password', ctrlD],
    ],
  ],
] satisfies [string, [string, string][]][])('the password stays as it is after %s', async (_which, steps) => {
  const cwd = await folderWithAda()
  const { status, seen } = await atTerminal(cwd, ['viewers', 'set-password', 'ada'], steps)
  expect(status).toBe(1)
  expect(seen).toContain('Canceled')
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: true })
})

test.each([
  ['y', 0, false],
  [enter, 1, true],
  [ctrlC, 1, true],
  [ctrlD, 1, true],
])('viewers remove asks at a terminal: the key %j ends with status %d', async (types, expected, isThere) => {
  const cwd = await folderWithAda()
  const { status } = await atTerminal(cwd, ['viewers', 'remove', 'ada'], [['Remove the viewer ada?', types]])
  expect(status).toBe(expected)
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: isThere })
})

test('viewers passkeys remove asks at a terminal, and keeps the passkey without a yes', async () => {
  const cwd = await folderWithAda()
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  await store.passkeys.userHandleOf('ada')
  await store.passkeys.add('ada', passkey('one'))
  const steps: [string, string][] = [['Remove the passkey Chrome on Windows of ada?', enter]]
  expect(await atTerminal(cwd, ['viewers', 'passkeys', 'remove', 'ada', 'one'], steps)).toMatchObject({ status: 1 })
  expect(await store.passkeys.list('ada')).toHaveLength(1)
  await store.close()
})

test('a terminal never shows the address that is pasted after the authorization page', async () => {
  const code = 'ab'.repeat(20)
  const service = 'https://service.example'
  const settings = {
    SERVICE_AUTH_URL: service,
    SERVICE_OAUTH_URL: service,
    SERVICE_BASE_URL: service,
    SERVICE_ANALYTICS_URL: service,
    SERVICE_CLIENT_ID: 'cd'.repeat(20),
    SERVICE_CLIENT_SECRET: 'ef'.repeat(20),
  }
  const redirectUri = 'https://www.example.com/'
  const { status, seen } = await atTerminal(
    temporaryFolder(),
    ['token', '--grant', 'authorization_code', '--redirect-uri', redirectUri],
    [['Paste the address', `${redirectUri}?code=${code}&state=wrong${enter}`]],
    settings,
  )
  expect([status, seen.includes(code), seen.includes('state=wrong')]).toEqual([1, false, false])
  expect(seen).toContain('wrong state')
})
