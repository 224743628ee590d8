import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { readUserStore } from '../../../../../src/config.ts'
import type { EditableUserStore } from '../../../../../src/users/editable-user-store.ts'
import { userStores } from '../../../../../src/users/open-user-store.ts'
import { openPostgresStore } from '../../../../../src/users/postgres/store.ts'
import { importInto } from '../../../../users/import-batch/import-contract.ts'
import { settingsOf } from '../../../../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../../../../users/postgres/server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../run-here.ts'
import { runProgram, startProgram } from '../../run-program.ts'
import { ODD_VIEWERS } from '../odd-viewers.ts'

const password = 'correct horse battery'
/** The hash of "U*U", from crypt_blowfish. */
const bcrypt = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

let server: PostgresServer
let database: string
let env: Record<string, string>
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())
beforeEach(async () => {
  database = await server.createDatabase()
  env = { USER_STORE_URL: server.url({ database }) }
})

async function viewers(...args: string[]) {
  return await runHere(['viewers', ...args], { cwd: temporaryFolder(), env, stdin: password })
}

async function countViewers(): Promise<number> {
  const { rows } = await server.query('SELECT count(*)::int AS count FROM viewer_auth.viewers', [], database)
  return Number(rows[0]?.count)
}

async function signIn(username: string, typed: string) {
  const store = await openPostgresStore(settingsOf(server.url({ database })))
  try {
    return await store.authenticate(username, typed)
  } finally {
    await store.close()
  }
}

test('viewers migrate creates the table once, and then every command works', async () => {
  const migrate = () => runProgram(['viewers', 'migrate'], { cwd: temporaryFolder(), env })
  expect(await migrate()).toEqual({ status: 0, stdout: 'Created the table of viewers (version 5).\n', stderr: '' })
  expect(await migrate()).toEqual({
    status: 0,
    stdout: 'The table of viewers is up to date (version 5).\n',
    stderr: '',
  })
  expect(await viewers('add', 'Ada', '--group', 'staff', '--attribute', 'team=R&D')).toMatchObject({ status: 0 })
  expect((await viewers('add', 'ada')).stderr).toMatch(/^Failed: .*"Ada".*\n$/)
  expect(await signIn('ADA', password)).toEqual({
    ok: true,
    viewer: expect.objectContaining({ username: 'Ada', groups: ['staff'], attributes: { team: 'R&D' } }),
  })
  expect((await viewers('disable', 'ada')).stdout).toBe('Disabled Ada.\n')
  expect(await signIn('ada', password)).toEqual({ ok: false, reason: 'disabled' })
  expect(JSON.parse((await viewers('list', '--json')).stdout)).toEqual([
    { username: 'Ada', groups: ['staff'], attributes: { team: 'R&D' }, disabled: true, state: 'disabled' },
  ])
  expect((await viewers('enable', 'ada')).status).toBe(0)
  expect((await viewers('set-password', 'ada')).stdout).toContain('Ada')
  expect((await viewers('remove', 'ada', '--yes')).stdout).toMatch(/^Removed Ada\. .*until they end\./)
  expect(await countViewers()).toBe(0)
})

test('a role without the rights on passkeys still sets passwords, and viewers show says what it lacks', async () => {
  await viewers('migrate')
  await viewers('add', 'ada')
  const role = await server.createRole()
  const grants = `GRANT USAGE ON SCHEMA viewer_auth TO ${role.user};
    GRANT SELECT ON viewer_auth.schema_version TO ${role.user};
    GRANT SELECT, UPDATE ON viewer_auth.viewers TO ${role.user};
    GRANT SELECT, DELETE ON viewer_auth.password_links TO ${role.user}`
  await server.query(grants, [], database)
  env = { USER_STORE_URL: server.url({ database, ...role }) }
  expect(await viewers('set-password', 'ada')).toMatchObject({ status: 0, stderr: '' })
  const { status, stdout } = await viewers('show', 'ada', '--json')
  const fault = expect.stringContaining('passkeys')
  expect([status, JSON.parse(stdout)]).toMatchObject([1, { state: 'active', passkeys: null, faults: [fault] }])
})

test('a command without the table names viewers migrate', async () => {
  const { status, stderr } = await viewers('list')
  expect(status).toBe(1)
  expect(stderr).toContain('viewers migrate')
})

test('viewers migrate has nothing to do for a file of viewers', async () => {
  env = {}
  expect(await viewers('migrate')).toMatchObject({ status: 0, stdout: expect.stringContaining('Nothing to do') })
})

test('a server that does not answer is named without the password of its address', async () => {
  env = { USER_STORE_URL: 'postgres://app:PASSWORDMARKER@127.0.0.1:1/shop' }
  for (const command of [['list'], ['migrate']]) {
    const { status, stderr } = await viewers(...command)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Failed: .*"shop" at 127\.0\.0\.1:1 .*ECONNREFUSED.*\n$/)
    expect(stderr).not.toContain('PASSWORDMARKER')
  }
})

test('viewers export and viewers import move viewers from SQLite to PostgreSQL and back, every column unchanged', async () => {
  await viewers('migrate')
  const cwd = temporaryFolder()
  const [first, second] = ['first.db', 'second.db'].map((name) => ({ USER_STORE_URL: `sqlite:${join(cwd, name)}` }))
  const rowsIn = async (store: EditableUserStore) => {
    const rows: unknown[] = []
    for await (const row of store.exportAll()) rows.push(row)
    return rows
  }
  const source = await userStores.openEditable(readUserStore(first ?? {}))
  onTestFinished(() => source.close())
  await importInto(source, ODD_VIEWERS, 'keep')
  const files = [join(cwd, 'a.jsonl'), join(cwd, 'b.jsonl')] as const
  const run = async (args: string[], at: Record<string, string> = {}) =>
    expect(await runHere(['viewers', ...args], { cwd, env: at })).toMatchObject({ status: 0, stderr: '' })
  await run(['export', '--output', files[0]], first)
  await run(['import', files[0]], env)
  await run(['export', '--output', files[1]], env)
  await run(['import', files[1]], second)
  const [target, back] = await Promise.all([env, second].map((at) => userStores.openEditable(readUserStore(at ?? {}))))
  for (const store of [target, back]) {
    onTestFinished(() => store?.close())
    expect(store && (await rowsIn(store))).toEqual(await rowsIn(source))
  }
  expect(await countViewers()).toBe(ODD_VIEWERS.length)
})

test('a killed import into PostgreSQL continues when it is run again, without duplicates', async () => {
  await viewers('migrate')
  const count = 10_000
  const cwd = temporaryFolder()
  const rows = Array.from({ length: count }, (_, index) => `viewer-${index},${bcrypt},staff;press`)
  writeFileSync(join(cwd, 'v.csv'), `username,password_hash,groups\n${rows.join('\n')}\n`)
  const { child, ended } = startProgram(['viewers', 'import', 'v.csv', '--json'], { cwd, env })
  await expect.poll(countViewers, { interval: 5, timeout: 30_000 }).toBeGreaterThan(0)
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ status: null })
  const imported = await countViewers()
  expect(imported).toBeLessThan(count)
  expect(imported % 250).toBe(0)
  const { status, stdout } = await runProgram(['viewers', 'import', 'v.csv', '--json'], { cwd, env })
  expect(status).toBe(0)
  const { added, unchanged } = JSON.parse(stdout) as { added: number; unchanged: number }
  expect(added + unchanged).toBe(count)
  expect(await countViewers()).toBe(count)
  expect(await signIn('viewer-7', 'U*U')).toMatchObject({ ok: true, viewer: { groups: ['staff', 'press'] } })
})

test('the column until, viewers set-end and viewers remove --group tonight work in the table', async () => {
  await viewers('migrate')
  const file = join(temporaryFolder(), 'tonight.csv')
  const rows = ['ada,tonight,2020-01-01T00:00Z', 'bob,tonight,', 'eve,staff,2099-01-01T00:00Z']
  writeFileSync(file, ['username,groups,until,password_hash', ...rows.map((row) => `${row},${bcrypt}`)].join('\n'))
  expect(await viewers('import', file)).toMatchObject({ status: 0 })
  expect((await viewers('set-end', 'eve', '--until', 'never')).stdout).toContain('No end')
  const listed = async () =>
    (JSON.parse((await viewers('list', '--json')).stdout) as { username: string; state: string }[]).map(
      ({ username, state }) => `${username} ${state}`,
    )
  expect(await listed()).toEqual(['ada ended', 'bob active', 'eve active'])
  expect((await viewers('remove', '--group', 'tonight')).stdout).toMatch(
    /^Removed 2 viewers of the group tonight\. .*until they end\./,
  )
  expect(await listed()).toEqual(['eve active'])
})
