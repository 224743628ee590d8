import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openViewersFile } from '../../../src/users/sqlite/database-file.ts'
import { viewersUrl } from '../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { runProgram, startProgram } from './run-program.ts'
import { runHere } from './sqlite/run-here.ts'
import { signIn } from './viewers/sign-in.ts'

const password = 'correct horse battery'

async function addViewer(cwd: string, username: string, ...options: string[]): Promise<void> {
  const { status, stderr } = await runHere(['viewers', 'add', username, ...options], { cwd, stdin: password })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
}

test('viewers add reads the password from standard input and creates the data folder', async () => {
  const cwd = temporaryFolder()
  const args = ['viewers', 'add', 'Ada@Example.com', '--group', 'staff', '--group', 'press', '--attribute', 'team=R=D']
  expect(await runProgram(args, { cwd, stdin: password })).toEqual({
    status: 0,
    stdout: 'Added Ada@Example.com.\n',
    stderr: '',
  })
  expect(await signIn(cwd, 'ada@example.com', password)).toEqual({
    ok: true,
    viewer: expect.objectContaining({
      username: 'Ada@Example.com',
      groups: ['staff', 'press'],
      attributes: { team: 'R=D' },
    }),
  })
})

test('viewers list prints a table without colors, and the count on standard error', async () => {
  const cwd = temporaryFolder()
  await addViewer(cwd, 'ada', '--group', 'staff', '--attribute', 'team=R&D')
  await addViewer(cwd, '佐藤')
  await runHere(['viewers', 'disable', '佐藤'], { cwd })
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

test('viewers remove does not ask in a script', async () => {
  const cwd = temporaryFolder()
  await addViewer(cwd, 'ada')
  const ended = await runHere(['viewers', 'remove', 'ada'], { cwd })
  expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Removed ada\. .*until they end\./) })
  expect(ended.stderr).not.toContain('--yes')
  expect(await signIn(cwd, 'ada', password)).toMatchObject({ ok: false })
})

test('the program reads settings from .env, and the environment wins', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, '.env'), 'USER_STORE_URL=sqlite:from-file/viewers.db\n')
  expect(await runProgram(['viewers', 'list', '--json'], { cwd })).toMatchObject({ status: 0 })
  expect(existsSync(join(cwd, 'from-file/viewers.db'))).toBe(true)
  const env = { USER_STORE_URL: 'sqlite:from-environment/viewers.db' }
  expect(await runProgram(['viewers', 'list', '--json'], { cwd, env })).toMatchObject({ status: 0, stdout: '[]\n' })
  expect(existsSync(join(cwd, 'from-environment/viewers.db'))).toBe(true)
})

test('an unreadable file .env is a failure without a stack', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, '.env'))
  expect(await runProgram(['viewers', 'list'], { cwd })).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Failed: .*\.env \(\w+\)\.\n$/),
  })
})

test('a wrong setting is named without its password, and an empty setting counts as missing', async () => {
  const cwd = temporaryFolder()
  const wrong = await runHere(['viewers', 'list'], { cwd, env: { USER_STORE_URL: 'mysql://app:hunter2@db/users' } })
  expect(wrong).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^Failed: USER_STORE_URL /) })
  expect(wrong.stderr).not.toContain('hunter2')
  expect(await runProgram(['viewers', 'list'], { cwd, env: { USER_STORE_URL: '' } })).toMatchObject({ status: 0 })
})

test('a file that is not a database is refused without a stack', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'viewers.db'), 'no database '.repeat(200))
  const { status, stderr } = await runHere(['viewers', 'list'], { cwd, env: { USER_STORE_URL: viewersUrl(cwd) } })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^Failed: .*viewers\.db .*\n$/)
})

test('a closed pipe, as head leaves it, is not a failure', async () => {
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

test('wrong usage ends the program with status 2', async () => {
  const args = ['viewers', 'add', 'ada', '--password', 'x']
  const { status, stdout, stderr } = await runProgram(args, { cwd: temporaryFolder(), stdin: password })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain('--password')
})
