import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { collectRefusals } from '../../../../src/tools/cli/viewers/refusals.ts'
import { openViewersFile } from '../../../../src/users/sqlite/database-file.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runProgram, startProgram } from '../run-program.ts'
import { runHere } from '../sqlite/run-here.ts'
import { signIn } from './sign-in.ts'

/** The hash of "U*U", with low costs. In quotes, because it contains commas. */
const uHash = '"$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$QxB8Tx0ONZDfSHPcb5PABwFzSnQHFblwwKunoe4Dj/A"'

function folderWith(name: string, content: string): string {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, name), content)
  return cwd
}

/** Counts the viewers in the file, also while another process writes to it. */
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

test('the real program imports a file, and the viewers of another system can sign in', async () => {
  const cwd = folderWith('users.csv', `login;password_hash;groups;team\nada;${uHash};staff;R&D\ngrace;${uHash};;\n`)
  const ended = await runProgram(['viewers', 'import', join(cwd, 'users.csv'), '--column', 'username=login'], { cwd })
  expect(ended).toEqual({ status: 0, stdout: expect.stringContaining(': 2 added, 0 updated, '), stderr: '' })
  expect(await signIn(cwd, 'ada', 'U*U')).toMatchObject({
    ok: true,
    viewer: { username: 'ada', groups: ['staff'], attributes: { team: 'R&D' } },
  })
})

test('an import adds the valid rows, names the line of each bad row, and ends with status 1', async () => {
  const cwd = folderWith('v.csv', `username,password_hash\nada,${uHash}\na|b,${uHash}\ngrace,MD5\n`)
  expect(await runHere(['viewers', 'import', join(cwd, 'v.csv')], { cwd })).toEqual({
    status: 1,
    stdout: `${join(cwd, 'v.csv')}: 1 added, 0 updated, 0 unchanged, 2 refused.\n`,
    stderr: expect.stringMatching(/^Line 3 .*\.\nLine 4 .*\.\n$/),
  })
  const inJson = await runHere(['viewers', 'import', join(cwd, 'v.csv'), '--json'], { cwd })
  expect(inJson).toMatchObject({ status: 1, stdout: '{"added":0,"updated":0,"unchanged":1,"refused":2}\n' })
  expect(
    inJson.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { line: 3, error: expect.stringContaining('"|"') },
    { line: 4, error: expect.stringContaining('password hash') },
  ])
})

test('8,000 lines with the same fault are one line with a count and the first line numbers', async () => {
  const rows = Array.from({ length: 8000 }, (_, index) => `viewer-${index},${'A'.repeat(40)}`)
  const cwd = folderWith('v.csv', `username,password_hash\n${rows.join('\n')}\n,${uHash}\n,${uHash}\n`)
  const inWords = await runHere(['viewers', 'import', join(cwd, 'v.csv')], { cwd })
  expect(inWords.stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^Line 2 .*SHA-1 without a salt.* 7,999 more lines .*: 3, 4, 5, 6, 7, 8, 9, 10, 11, …$/),
    expect.stringMatching(/^Line 8002 .* 1 more line .*: 8003\.$/),
  ])
  const inJson = await runHere(['viewers', 'import', join(cwd, 'v.csv'), '--json', '--check'], { cwd })
  expect(
    inJson.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { line: 2, error: expect.stringContaining('SHA-1'), count: 8000, lines: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
    { line: 8002, error: expect.any(String), count: 2, lines: [8002, 8003] },
  ])
})

test('refusals are printed before their faults take much memory', () => {
  const written: string[] = []
  const refusals = collectRefusals((text) => written.push(text), true)
  for (let line = 1; line <= 2500; line += 1) refusals.add(line, `has the fault ${line}`)
  expect(written).toHaveLength(2000)
  refusals.flush()
  refusals.flush()
  expect(written.map((text) => (JSON.parse(text) as { line: number }).line)).toEqual(
    Array.from({ length: 2500 }, (_, index) => index + 1),
  )
})

test('MD5-crypt is imported only with --accept-weak-hashes', async () => {
  // Made by: openssl passwd -apr1 -salt abcdefgh
  const cwd = folderWith('v.csv', 'username,password_hash\nada,$apr1$abcdefgh$pPk2/jLCWJf0tbErXF9Xz/\n')
  const refused = await runHere(['viewers', 'import', join(cwd, 'v.csv')], { cwd })
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/MD5-crypt.*--accept-weak-hashes/) })
  expect(await runHere(['viewers', 'import', join(cwd, 'v.csv'), '--accept-weak-hashes'], { cwd })).toMatchObject({
    status: 0,
  })
  expect(await signIn(cwd, 'ada', 'pässword ☃')).toMatchObject({ ok: true })
})

test('viewers of Firebase sign in after an import with the parameters of their project', async () => {
  // The example of github.com/firebase/scrypt.
  const hash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='
  const signerKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='
  const cwd = folderWith('v.csv', `username,password_hash,salt\nada,${hash},42xEC+ixf3L2lw==\n`)
  const parameters = join(cwd, 'parameters')
  writeFileSync(parameters, `{ base64_signer_key: ${signerKey}, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14 }`)
  const options = ['--column', 'password_salt=salt', '--firebase', parameters]
  const ended = await runHere(['viewers', 'import', join(cwd, 'v.csv'), ...options], { cwd })
  expect(ended).toMatchObject({ status: 0, stderr: '' })
  expect(await signIn(cwd, 'ada', 'user1password')).toMatchObject({ ok: true, viewer: { attributes: {} } })
  expect(await signIn(cwd, 'ada', 'user2password')).toMatchObject({ ok: false })
})

test('parameters of Firebase that are missing or unusable stop the import, and no message repeats them', async () => {
  const cwd = folderWith('v.csv', 'username,password_hash,password_salt\nada,x,y\n')
  writeFileSync(join(cwd, 'parameters'), 'base64_signer_key: aSecretThatIsTooShort, rounds: 8')
  for (const [file, message] of [
    ['nothing', 'does not exist'],
    ['parameters', 'base64_signer_key'],
  ] as const) {
    const ended = await runHere(['viewers', 'import', join(cwd, 'v.csv'), '--firebase', join(cwd, file)], { cwd })
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining(message) })
    expect(ended.stderr).not.toContain('aSecret')
  }
})

test('an import of plaintext passwords tells to delete the file', async () => {
  const cwd = folderWith('v.jsonl', '{"username":"ada","password":"correct horse battery","level":3}\n')
  const { status, stdout } = await runHere(['viewers', 'import', join(cwd, 'v.jsonl')], { cwd })
  expect(status).toBe(0)
  expect(stdout).toContain('Delete it')
  expect(await signIn(cwd, 'ada', 'correct horse battery')).toMatchObject({ ok: true })
})

test('an import refuses a password made of CONTEXT_WORDS, and so does its check', async () => {
  const cwd = folderWith('new.csv', 'username,password\neve,nightjar2026\n')
  const options = { cwd, env: { CONTEXT_WORDS: 'Orchid Records, Nightjar' } }
  for (const check of [['--check'], []]) {
    expect(await runHere(['viewers', 'import', join(cwd, 'new.csv'), ...check], options)).toMatchObject({ status: 1 })
  }
  expect(await signIn(cwd, 'eve', 'nightjar2026')).toMatchObject({ ok: false })
})

test('import --check names the bad rows and creates no database', async () => {
  const cwd = folderWith('v.csv', 'username,password\nada,short\ngrace,correct horse battery\n')
  const { status, stdout, stderr } = await runHere(['viewers', 'import', join(cwd, 'v.csv'), '--check'], { cwd })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: `${join(cwd, 'v.csv')}: 1 valid, 1 refused.\n`,
    stderr: expect.stringMatching(/^Line 2 .*8 characters\.\n$/),
  })
  expect(countViewers(cwd)).toBe(0)
})

test('import --accept-weak-passwords accepts weak passwords, and --update updates viewers', async () => {
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
  ['a missing file', ['nothing.csv'], 1, '(ENOENT)'],
  ['an unknown field', ['v.csv', '--column', 'name=x'], 2, 'username, password, password_hash'],
  ['no file', [], 2, "error: missing required argument 'FILE'"],
])('viewers import with %s fails with a message', async (_what, args, status, message) => {
  const ended = await runHere(['viewers', 'import', ...args], { cwd: temporaryFolder() })
  expect(ended).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
})

test.each([
  ['hashed passwords', 40_000, uHash, 'password_hash'],
  ['plaintext passwords', 160, 'correct horse battery', 'password'],
])('a killed import of %s continues when it is run again, without duplicates', async (...values) => {
  const [, count, secret, column] = values
  const rows = Array.from({ length: count }, (_, index) => `viewer-${index},${secret}`)
  const cwd = folderWith('v.csv', `username,${column}\n${rows.join('\n')}\n`)
  const { child, ended } = startProgram(['viewers', 'import', 'v.csv', '--json'], { cwd })
  await expect.poll(() => countViewers(cwd), { interval: 5, timeout: 50_000 }).toBeGreaterThan(0)
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ status: null })
  const imported = countViewers(cwd)
  expect(imported).toBeLessThan(count)
  const { status, stdout } = await runProgram(['viewers', 'import', 'v.csv', '--json'], { cwd })
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ added: count - imported, updated: 0, unchanged: imported, refused: 0 })
  expect(countViewers(cwd)).toBe(count)
  expect(await signIn(cwd, 'viewer-7', secret === uHash ? 'U*U' : secret)).toMatchObject({ ok: true })
})

test('Ctrl-C ends an import after its batch, with status 1', async () => {
  const rows = Array.from({ length: 60_000 }, (_, index) => `viewer-${index},${uHash}`)
  const cwd = folderWith('v.csv', `username,password_hash\n${rows.join('\n')}\n`)
  const { child, ended } = startProgram(['viewers', 'import', 'v.csv'], { cwd })
  await expect.poll(() => countViewers(cwd), { interval: 5, timeout: 50_000 }).toBeGreaterThan(0)
  child.kill('SIGINT')
  const { status, stderr } = await ended
  expect(status).toBe(1)
  expect(stderr).toMatch(/^Failed: Stopped after [\d,]+ rows\. .*\n$/)
  const database = openViewersFile(join(cwd, 'data', 'viewers.db'), 0)
  expect(Number(database.prepare('SELECT count(*) AS count FROM viewers').get()?.count) % 250).toBe(0)
  database.close()
})
