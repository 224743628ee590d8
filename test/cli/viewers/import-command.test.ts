import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { openViewersFile } from '../../../src/users/sqlite/database-file.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { runProgram, startProgram } from '../run-program.ts'
import { signIn } from './sign-in.ts'

// Hashing and processes of their own take their time on a machine that runs other tests as well.
vi.setConfig({ testTimeout: 60_000 })

/** Of "U*U", from crypt_blowfish. */
const bcrypt = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

function folderWith(name: string, content: string): string {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, name), content)
  return cwd
}

/** How many viewers the file holds so far, beside whoever writes to it. */
function countViewers(cwd: string): number {
  try {
    const database = new DatabaseSync(join(cwd, 'data', 'viewers.db'), { readOnly: true })
    try {
      return Number(database.prepare('SELECT count(*) AS count FROM viewers').get()?.count)
    } finally {
      database.close()
    }
  } catch {
    return 0
  }
}

test('a file is imported by the real program, and the viewers of another system sign in', async () => {
  const cwd = folderWith('users.csv', `login;password_hash;groups;team\nada;${bcrypt};staff;R&D\ngrace;${bcrypt};;\n`)
  const ended = await runProgram(['viewers', 'import', join(cwd, 'users.csv'), '--column', 'username=login'], { cwd })
  expect(ended).toEqual({
    status: 0,
    stdout: `${join(cwd, 'users.csv')}: 2 added, 0 updated, 0 there already, 0 refused.\n`,
    stderr: '',
  })
  expect(await signIn(cwd, 'ada', 'U*U')).toEqual({
    ok: true,
    viewer: { username: 'ada', groups: ['staff'], attributes: { team: 'R&D' } },
  })
})

test('bad rows are told on standard error by line, good ones are added, and the status is 1', async () => {
  const cwd = folderWith('v.csv', `username,password_hash\nada,${bcrypt}\na|b,${bcrypt}\ngrace,MD5\n`)
  expect(await runHere(['viewers', 'import', join(cwd, 'v.csv')], { cwd })).toEqual({
    status: 1,
    stdout: `${join(cwd, 'v.csv')}: 1 added, 0 updated, 0 there already, 2 refused.\n`,
    stderr: [
      'Line 3 cannot be kept: The user name holds a "|", which separates the hashed values.',
      'Line 4 has a password hash that is of no known form.',
      '',
    ].join('\n'),
  })
  expect(await runHere(['viewers', 'import', join(cwd, 'v.csv'), '--json'], { cwd })).toEqual({
    status: 1,
    stdout: '{"added":0,"updated":0,"unchanged":1,"refused":2}\n',
    stderr: [
      '{"line":3,"error":"cannot be kept: The user name holds a \\"|\\", which separates the hashed values"}',
      '{"line":4,"error":"has a password hash that is of no known form"}',
      '',
    ].join('\n'),
  })
})

test('a file with passwords in the clear is imported, and its owner told to delete it', async () => {
  const cwd = folderWith('v.jsonl', '{"username":"ada","password":"correct horse battery","level":3}\n')
  const { status, stdout } = await runHere(['viewers', 'import', join(cwd, 'v.jsonl')], { cwd })
  expect(status).toBe(0)
  expect(stdout).toContain('The file holds passwords in the clear: delete it when you are done.')
  expect(await signIn(cwd, 'ada', 'correct horse battery')).toMatchObject({ ok: true })
})

test('a check tells what is wrong and makes no database', async () => {
  const cwd = folderWith('v.csv', 'username,password\nada,short\ngrace,correct horse battery\n')
  const { status, stdout, stderr } = await runHere(['viewers', 'import', join(cwd, 'v.csv'), '--check'], { cwd })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: `${join(cwd, 'v.csv')}: 1 rows can be imported, 1 cannot.\n`,
    stderr: 'Line 2 cannot be kept: The password is shorter than 8 characters.\n',
  })
  expect(countViewers(cwd)).toBe(0)
})

test('weak passwords are taken and viewers updated when the options say so', async () => {
  const cwd = folderWith('v.csv', 'username,password,team\nada,short,a\n')
  const file = join(cwd, 'v.csv')
  expect(await runHere(['viewers', 'import', file, '--accept-weak-passwords'], { cwd })).toMatchObject({ status: 0 })
  expect(await signIn(cwd, 'ada', 'short')).toMatchObject({ ok: true })
  writeFileSync(file, 'username,team,ID\nada,b,7\n')
  const { stdout } = await runHere(['viewers', 'import', file, '--update', '--ignore', 'ID', '--json'], { cwd })
  expect(stdout).toBe('{"added":0,"updated":1,"unchanged":0,"refused":0}\n')
  expect(await signIn(cwd, 'ada', 'short')).toMatchObject({ viewer: { attributes: { team: 'b' } } })
})

test.each([
  [
    'a file that is not there',
    ['nothing.csv'],
    1,
    'Failed: The file nothing.csv cannot be read: it is not there (ENOENT).\n',
  ],
  [
    'a field that is none',
    ['v.csv', '--column', 'name=x'],
    2,
    'where FIELD is one of username, password, password_hash',
  ],
  ['no file', [], 2, "error: missing required argument 'FILE'"],
])('%s ends with its status and a sentence', async (_what, args, status, said) => {
  const ended = await runHere(['viewers', 'import', ...args], { cwd: temporaryFolder() })
  expect(ended).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(said) })
})

test.each([
  ['hashed passwords', 40_000, bcrypt, 'password_hash'],
  ['passwords in the clear', 320, 'correct horse battery', 'password'],
])('an import of %s that was killed goes on when it is begun again, and nobody is there twice', async (...given) => {
  const [, count, secret, column] = given
  const rows = Array.from({ length: count }, (_, index) => `viewer-${index},${secret}`)
  const cwd = folderWith('v.csv', `username,${column}\n${rows.join('\n')}\n`)
  const { child, ended } = startProgram(['viewers', 'import', 'v.csv', '--json'], { cwd })
  await expect.poll(() => countViewers(cwd), { interval: 5, timeout: 50_000 }).toBeGreaterThan(0)
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ status: null })
  const there = countViewers(cwd)
  expect(there).toBeLessThan(count)
  const { status, stdout } = await runProgram(['viewers', 'import', 'v.csv', '--json'], { cwd })
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ added: count - there, updated: 0, unchanged: there, refused: 0 })
  expect(countViewers(cwd)).toBe(count)
  expect(await signIn(cwd, 'viewer-7', secret === bcrypt ? 'U*U' : secret)).toMatchObject({ ok: true })
})

test('Ctrl-C ends an import after its batch, with the status of a failure and what to do', async () => {
  const rows = Array.from({ length: 60_000 }, (_, index) => `viewer-${index},${bcrypt}`)
  const cwd = folderWith('v.csv', `username,password_hash\n${rows.join('\n')}\n`)
  const { child, ended } = startProgram(['viewers', 'import', 'v.csv'], { cwd })
  await expect.poll(() => countViewers(cwd), { interval: 5, timeout: 50_000 }).toBeGreaterThan(0)
  child.kill('SIGINT')
  const { status, stderr } = await ended
  expect(status).toBe(1)
  expect(stderr).toMatch(/^Failed: Stopped after [\d,]+ rows; begin the import again to go on\.\n$/)
  const database = openViewersFile(join(cwd, 'data', 'viewers.db'), 0)
  expect(Number(database.prepare('SELECT count(*) AS count FROM viewers').get()?.count) % 250).toBe(0)
  database.close()
})

test('two imports of one file at once both succeed, and everybody is there once', async () => {
  const rows = Array.from({ length: 3000 }, (_, index) => `viewer-${index},${bcrypt}`)
  const cwd = folderWith('v.csv', `username,password_hash\n${rows.join('\n')}\n`)
  const ended = await Promise.all([1, 2].map(() => runProgram(['viewers', 'import', 'v.csv', '--json'], { cwd })))
  const counts = ended.map(({ status, stdout }) => ({ status, ...(JSON.parse(stdout) as { added: number }) }))
  expect(counts.map(({ status }) => status)).toEqual([0, 0])
  expect(counts.reduce((sum, { added }) => sum + added, 0)).toBe(3000)
  expect(countViewers(cwd)).toBe(3000)
})

test('the example of the help imports what it shows', async () => {
  const { stdout } = await runHere(['viewers', 'import', '--help'], { cwd: temporaryFolder() })
  expect(stdout).toContain('--column username=user_email --column password_hash=user_pass --ignore ID')
  const cwd = folderWith('users.csv', 'ID,user_email,user_pass\n1,ada@example.com,$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0\n')
  const example = ['--column', 'username=user_email', '--column', 'password_hash=user_pass', '--ignore', 'ID']
  expect(await runHere(['viewers', 'import', join(cwd, 'users.csv'), ...example], { cwd })).toMatchObject({ status: 0 })
  expect(await signIn(cwd, 'ada@example.com', 'test12345')).toMatchObject({ ok: true, viewer: { attributes: {} } })
})
