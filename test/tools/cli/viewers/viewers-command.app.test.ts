import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openViewersFile } from '../../../../src/users/sqlite/database-file.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../sqlite/run-here.ts'
import { signIn } from './sign-in.ts'

const password = 'correct horse battery'

async function addViewer(cwd: string, username: string, ...options: string[]): Promise<void> {
  const { status, stderr } = await runHere(['viewers', 'add', username, ...options], { cwd, stdin: password })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
}

test.each([
  ['a line end, as echo writes', `${password}\n`, password],
  ['a Windows line end', `${password}\r\n`, password],
  ['a byte order mark', `\uFEFF${password}`, password],
  ['spaces at its ends, which it keeps', `  ${password} \n`, `  ${password} `],
])('a password on standard input may have %s', async (_what, stdin, typed) => {
  const cwd = temporaryFolder()
  expect(await runHere(['viewers', 'add', 'ada'], { cwd, stdin })).toMatchObject({ status: 0 })
  expect(await signIn(cwd, 'ada', typed)).toMatchObject({ ok: true })
})

test('VIEWER_PASSWORD wins over standard input', async () => {
  const cwd = temporaryFolder()
  const env = { VIEWER_PASSWORD: 'another heron ladder' }
  expect(await runHere(['viewers', 'add', 'ada'], { cwd, env, stdin: password })).toMatchObject({ status: 0 })
  expect(await signIn(cwd, 'ada', 'another heron ladder')).toMatchObject({ ok: true })
})

test.each([
  ['nothing', '', 'VIEWER_PASSWORD'],
  ['two lines', `${password}\n${password}\n`, 'line break'],
  ['bytes that are not UTF-8', Uint8Array.of(0x66, 0xff, 0x66), 'UTF-8'],
  ['100 kB', 'x'.repeat(100_000), '4096 bytes'],
  ['a short password', 'short', '8 characters'],
  ['a common password', 'Password1', 'common'],
])('viewers add refuses %s on standard input and adds no viewer', async (_what, stdin, named) => {
  const cwd = temporaryFolder()
  expect(await runHere(['viewers', 'add', 'ada'], { cwd, stdin })).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^Failed: .*${named}.*\\n$`)),
  })
  expect(await runHere(['viewers', 'list', '--json'], { cwd })).toMatchObject({ stdout: '[]\n' })
})

test.each([
  ['CONTEXT_WORDS', { CONTEXT_WORDS: 'Orchid Records, Nightjar' }, 'nightjar2026'],
  ['BRAND_NAME', { BRAND_NAME: 'Fjordcast' }, 'fjordcast1'],
  ['the host of PUBLIC_URL', { PUBLIC_URL: 'https://login.nightjar.example' }, 'nightjar2026'],
  ['the name of an entry point', { ENTRY_POINTS_FILE: 'entry-points.json' }, 'quarterly2026'],
])('a new password made of %s is refused by add and set-password', async (_what, env, weak) => {
  const cwd = temporaryFolder()
  await addViewer(cwd, 'bob')
  writeFileSync(join(cwd, 'entry-points.json'), '[{ "name": "quarterly-results" }]')
  const inFolder = 'ENTRY_POINTS_FILE' in env ? { ENTRY_POINTS_FILE: join(cwd, env.ENTRY_POINTS_FILE) } : env
  const options = { cwd, env: inFolder, stdin: weak }
  expect(await runHere(['viewers', 'add', 'ada'], options)).toMatchObject({ status: 1 })
  expect(await runHere(['viewers', 'set-password', 'bob'], options)).toMatchObject({ status: 1 })
  expect(await signIn(cwd, 'bob', password)).toMatchObject({ ok: true })
})

test('a word in CONTEXT_WORDS that is too short is a mistake in the settings', async () => {
  const options = { cwd: temporaryFolder(), env: { CONTEXT_WORDS: 'Nightjar, tv' }, stdin: password }
  const { status, stderr } = await runHere(['viewers', 'add', 'ada'], options)
  expect({ status, isNamed: stderr.includes('CONTEXT_WORDS: item 2') }).toEqual({ status: 1, isNamed: true })
})

test.each([
  ['a missing file', null],
  ['an empty file', '\n'],
  ['a file with a wrong address', 'mysql://login_app:secret-of-app@db.example/shop\n'],
])('viewers migrate names --app-url-file for %s', async (_case, text) => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'app-url')
  if (text !== null) writeFileSync(file, text)
  const { status, stderr } = await runHere(['viewers', 'migrate', '--app-url-file', file], { cwd })
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('--app-url-file') })
  expect(stderr).not.toMatch(/USER_STORE_URL_FILE|secret-of-app/)
})

test('viewers add refuses an existing name before it reads the password', async () => {
  const cwd = temporaryFolder()
  await addViewer(cwd, 'Ada')
  expect(await runHere(['viewers', 'add', 'ADA'], { cwd })).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Failed: .*"Ada".*\n$/),
  })
})

test('viewers list --json filters by name and group, and limits the number', async () => {
  const cwd = temporaryFolder()
  await addViewer(cwd, 'ada', '--group', 'staff', '--attribute', 'team=R&D')
  await addViewer(cwd, 'grace', '--group', 'staff')
  await addViewer(cwd, 'Grażyna')
  const names = async (...args: string[]) => {
    const { status, stdout } = await runHere(['viewers', 'list', '--json', ...args], { cwd })
    expect(status).toBe(0)
    return (JSON.parse(stdout) as { username: string }[]).map(({ username }) => username)
  }
  expect(await names()).toEqual(['ada', 'grace', 'Grażyna'])
  expect(await names('--name', 'GRA')).toEqual(['grace', 'Grażyna'])
  expect(await names('--group', 'staff')).toEqual(['ada', 'grace'])
  expect(await names('--limit', '1')).toEqual(['ada'])
  const { stdout } = await runHere(['viewers', 'list', '--json', '--limit', '1'], { cwd })
  expect(JSON.parse(stdout)).toEqual([
    { username: 'ada', groups: ['staff'], attributes: { team: 'R&D' }, disabled: false, state: 'active' },
  ])
})

test('control and bidirectional characters in a stored name do not reach the terminal', async () => {
  const cwd = temporaryFolder()
  const hostile = 'ada\u001b]0;x\u0007\u009b2J\n\u202eadmin'
  const database = openViewersFile(join(cwd, 'data', 'viewers.db'), 0)
  database
    .prepare(`INSERT INTO viewers (key, username, password_hash, group_names) VALUES ('ada', ?, 'x', ?)`)
    .run(hostile, JSON.stringify([hostile]))
  database.close()
  const written: string[] = []
  for (const args of [['list'], ['list', '--json'], ['add', 'ada'], ['disable', 'ada'], ['remove', 'ada', '--yes']]) {
    const { stdout, stderr } = await runHere(['viewers', ...args], { cwd })
    written.push(stdout, stderr)
  }
  expect(written.join('')).toContain('ada\\u001b]0;x\\u0007\\u009b2J')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
  expect(written.join('')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

test('set-password, disable, enable and remove accept the name in any case', async () => {
  const cwd = temporaryFolder()
  await addViewer(cwd, 'Ada')
  const change = async (...args: string[]) => {
    const { status, stdout } = await runHere(['viewers', ...args], { cwd, stdin: 'another heron ladder' })
    expect(status).toBe(0)
    return stdout
  }
  expect(await change('set-password', 'ada')).toBe('Set a new password for Ada.\n')
  expect(await signIn(cwd, 'ada', 'another heron ladder')).toMatchObject({ ok: true })
  expect(await change('disable', 'ADA')).toBe('Disabled Ada.\n')
  expect(await signIn(cwd, 'ada', 'another heron ladder')).toEqual({ ok: false, reason: 'disabled' })
  expect(await change('enable', 'ada', '--json')).toBe(
    '{"username":"Ada","groups":[],"attributes":{},"disabled":false}\n',
  )
  expect(await signIn(cwd, 'ada', 'another heron ladder')).toMatchObject({ ok: true })
  expect(await change('remove', 'ada', '--yes')).toMatch(/^Removed Ada\. .*until they end\./)
  expect(await signIn(cwd, 'ada', 'another heron ladder')).toMatchObject({ ok: false, reason: 'wrong-credentials' })
})

test.each(['set-password', 'disable', 'enable', 'remove'])('viewers %s refuses an unknown name', async (command) => {
  const cwd = temporaryFolder()
  const ended = await runHere(['viewers', command, 'unknown', '--json'], { cwd, stdin: password })
  expect(ended).toMatchObject({ status: 1, stdout: '' })
  expect(JSON.parse(ended.stderr)).toEqual({ error: expect.stringContaining('"unknown"') })
})

test.each([
  ['a vertical bar in the name', ['a|b'], '"|"'],
  ['an empty name', [''], 'user name'],
  ['a reserved attribute', ['ada', '--attribute', '__proto__=x'], '"__proto__"'],
  ['a comma in a group', ['ada', '--group', 'a,b'], '"a,b"'],
])('viewers add refuses %s', async (_what, args, named) => {
  const ended = await runHere(['viewers', 'add', ...args], { cwd: temporaryFolder(), stdin: password })
  expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^Failed: .*\n$/) })
  expect(ended.stderr).toContain(named)
})

test.each([
  [['viewers', 'add']],
  [['viewers', 'add', 'ada', '--attribute', 'team']],
  [['viewers', 'add', 'ada', '--attribute', 'team=a', '--attribute', 'team=b']],
  [['viewers', 'add', 'ada', 'secret-password']],
  [['viewers', 'add', 'ada', '--password', 'secret-password']],
  [['viewers', 'list', '--limit', '0']],
  [['viewers', 'list', '--limit', '1e3']],
  [['viewers', 'lsit']],
  [['viewers']],
  [['nothing-known']],
  [[]],
])('the arguments %j are wrong usage: status 2, help, an empty standard output and no new file', async (args) => {
  const cwd = temporaryFolder()
  const { status, stdout, stderr } = await runHere(args, { cwd, stdin: password })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/Usage: viewer-auth|--help/)
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})
