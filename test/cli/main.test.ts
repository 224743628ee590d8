import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openViewersFile } from '../../src/users/sqlite/database-file.ts'
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { runProgram, startProgram } from './run-program.ts'
import { signIn } from './viewers/sign-in.ts'

// Every process takes its time to start, and they share the machine with the other tests.
vi.setConfig({ testTimeout: 60_000 })

const password = 'correct horse battery'

async function addViewer(cwd: string, username: string, ...options: string[]): Promise<void> {
  const { status, stderr } = await runProgram(['viewers', 'add', username, ...options], { cwd, stdin: password })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
}

test('a viewer is added with a password from standard input, in a data folder that was not there', async () => {
  const cwd = temporaryFolder()
  const args = ['viewers', 'add', 'Ada@Example.com', '--group', 'staff', '--group', 'press', '--attribute', 'team=R=D']
  expect(await runProgram(args, { cwd, stdin: password })).toEqual({
    status: 0,
    stdout: 'Added Ada@Example.com.\n',
    stderr: '',
  })
  expect(await signIn(cwd, 'ada@example.com', password)).toEqual({
    ok: true,
    viewer: { username: 'Ada@Example.com', groups: ['staff', 'press'], attributes: { team: 'R=D' } },
  })
})

test('viewers are listed in a table without colours, the count beside it', async () => {
  const cwd = temporaryFolder()
  await addViewer(cwd, 'ada', '--group', 'staff', '--attribute', 'team=R&D')
  await addViewer(cwd, '佐藤')
  await runProgram(['viewers', 'disable', '佐藤'], { cwd })
  expect(await runProgram(['viewers', 'list'], { cwd })).toEqual({
    status: 0,
    stdout: [
      'User name  State     Groups  Attributes',
      'ada        active    staff   team=R&D',
      '佐藤       disabled',
      '',
    ].join('\n'),
    stderr: '2 viewers\n',
  })
})

test('a script that names a viewer removes them, with nobody to ask', async () => {
  const cwd = temporaryFolder()
  await addViewer(cwd, 'ada')
  const ended = await runProgram(['viewers', 'remove', 'ada'], { cwd })
  expect(ended).toEqual({ status: 0, stdout: 'Removed ada.\n', stderr: '' })
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: false })
})

test('settings come from the file .env too, and the environment wins over it', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, '.env'), 'USER_STORE_URL=sqlite:from-file.db\n')
  await addViewer(cwd, 'ada')
  expect(existsSync(join(cwd, 'from-file.db'))).toBe(true)
  const env = { USER_STORE_URL: 'sqlite:from-environment.db' }
  expect(await runProgram(['viewers', 'list', '--json'], { cwd, env })).toMatchObject({ status: 0, stdout: '[]\n' })
})

test('a file .env that cannot be read is a failure in one sentence', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, '.env'))
  expect(await runProgram(['viewers', 'list'], { cwd })).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Failed: The file \.env cannot be read \(\w+\)\.\n$/),
  })
})

test('a wrong setting is named, without a password it may hold, and an empty one is an absent one', async () => {
  const cwd = temporaryFolder()
  const wrong = await runProgram(['viewers', 'list'], { cwd, env: { USER_STORE_URL: 'mysql://app:hunter2@db/users' } })
  expect(wrong).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Failed: USER_STORE_URL must be /),
  })
  expect(wrong.stderr).not.toContain('hunter2')
  expect(await runProgram(['viewers', 'list'], { cwd, env: { USER_STORE_URL: '' } })).toMatchObject({ status: 0 })
})

test('a file that is no database is refused in one sentence without a stack', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'viewers.db'), 'no database '.repeat(200))
  const { status, stderr } = await runProgram(['viewers', 'list'], {
    cwd,
    env: { USER_STORE_URL: 'sqlite:viewers.db' },
  })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^Failed: \/.*viewers\.db is damaged or no database at all: .*\.\n$/)
})

test('a folder in the place of the file is refused in one sentence without a stack', async () => {
  const cwd = temporaryFolder()
  const { status, stderr } = await runProgram(['viewers', 'list'], { cwd, env: { USER_STORE_URL: `sqlite:${cwd}` } })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^Failed: The viewer database .* cannot be written \(EISDIR\): .*\.\n$/)
})

test('eight processes that add viewers at once, to a file that is not there yet, all succeed', async () => {
  const cwd = temporaryFolder()
  const names = Array.from({ length: 8 }, (_, index) => `viewer-${index}`)
  const ended = await Promise.all(names.map((name) => runProgram(['viewers', 'add', name], { cwd, stdin: password })))
  expect(ended).toEqual(names.map((name) => ({ status: 0, stdout: `Added ${name}.\n`, stderr: '' })))
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  const listed: string[] = []
  for await (const { username } of store.list()) listed.push(username)
  await store.close()
  expect(listed).toEqual(names)
})

test('of four processes that add one name at once, one succeeds and the others say why not', async () => {
  const cwd = temporaryFolder()
  const ended = await Promise.all(
    Array.from({ length: 4 }, () => runProgram(['viewers', 'add', 'ada'], { cwd, stdin: password })),
  )
  expect(ended.map(({ status }) => status).sort()).toEqual([0, 1, 1, 1])
  for (const { status, stderr } of ended) {
    if (status === 1) expect(stderr).toBe('Failed: There is a viewer "ada" already.\n')
  }
})

test('a reader that stops early, as head does, is no failure', async () => {
  const cwd = temporaryFolder()
  const database = openViewersFile(join(cwd, 'data', 'viewers.db'), 0)
  const insert = database.prepare(`INSERT INTO viewers (key, username, password_hash) VALUES (?, ?, 'x')`)
  database.exec('BEGIN')
  for (let index = 0; index < 20_000; index += 1) insert.run(`viewer-${index}`, `viewer-${index}`)
  database.exec('COMMIT')
  database.close()
  const { child, ended } = startProgram(['viewers', 'list', '--json'], { cwd })
  child.stdout?.once('data', () => child.stdout?.destroy())
  expect(await ended).toMatchObject({ status: 0, stderr: '' })
})

test.each([
  [[], 'Usage: viewer-auth COMMAND'],
  [['viewers', 'add', 'ada', '--password', 'x'], "error: unknown option '--password'"],
])('%j is wrong usage and ends with 2', async (args, said) => {
  const { status, stdout, stderr } = await runProgram(args, { cwd: temporaryFolder(), stdin: password })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(said)
})
