import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import type { ChangesPasswords } from '../../../src/users/account/password-changes.ts'
import type { KeepsPasskeys } from '../../../src/users/passkeys/passkey-store.ts'
import { connectPostgres } from '../../../src/users/postgres/connection.ts'
import { migratePostgres, openEditablePostgresStore } from '../../../src/users/postgres/editable-store.ts'
import { grantAppRole } from '../../../src/users/postgres/own-table/app-role.ts'
import { createPostgresStore, openPostgresStore } from '../../../src/users/postgres/store.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { passkey } from '../../features/passkeys/passkeys-contract.ts'
import { importInto } from '../import-batch/import-contract.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { settingsOf } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'

/** A hash of "U*U", from crypt_blowfish. */
const BCRYPT = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

const README_URL = 'postgres://owner@db.example.com/shop'
const README = readFileSync(new URL('../../../src/users/postgres/README.md', import.meta.url), 'utf8')
/** The commands to back up, and those to restore. */
const README_COMMANDS = [...(README.split('## Back up and restore')[1] ?? '').matchAll(/```sh\n(.*?)```/gs)].map(
  ([, text = '']) => text,
)

let server: PostgresServer
let database: string
let app: { user: string; password: string }
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())
beforeEach(async () => {
  database = await server.createDatabase()
  app = { user: `app "${randomUUID()}`, password: `it's ${randomUUID()}` }
})

const ownerSettings = () => settingsOf(server.url({ database }))
const appSettings = (changed: Partial<typeof app> = {}) => settingsOf(server.url({ database, ...app, ...changed }))

async function connectAsApp(): Promise<Client> {
  const client = new Client({ connectionString: server.url({ database, ...app }), ssl: false })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function stateOf(client: Client, sql: string): Promise<string> {
  return await client.query(sql).then(
    () => 'done',
    ({ code }: { code: string }) => code,
  )
}

test('a migration creates the role of the app, which signs a viewer in and replaces the old hash', async () => {
  await migratePostgres(ownerSettings(), appSettings())
  const viewers = await openEditablePostgresStore(ownerSettings())
  onTestFinished(() => viewers.close())
  const ada = { username: 'ada', groups: [], attributes: {}, disabled: false, passwordHash: BCRYPT }
  await importInto(viewers, [ada], 'keep')
  const store = await openPostgresStore(appSettings())
  onTestFinished(() => store.close())
  expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
  const readHash = async () => (await server.query('SELECT password_hash FROM viewer_auth.viewers', [], database)).rows
  await expect.poll(readHash).toEqual([{ password_hash: expect.stringMatching(/^\$argon2id\$/) }])
})

test('the commands of the README back up the tables and bring them back, with the rights of the app, after a newer release', async () => {
  await migratePostgres(ownerSettings(), appSettings())
  const viewers = await openEditablePostgresStore(ownerSettings())
  const ada = { username: 'ada', groups: ['staff'], attributes: { team: 'R&D' }, disabled: false, passwordHash: BCRYPT }
  await importInto(viewers, [ada], 'keep')
  const cwd = temporaryFolder()
  const [backUp, restore] = README_COMMANDS.map((text) => text.replaceAll(README_URL, server.url({ database })))
  const env = { PATH: `${server.programs}:${process.env.PATH}` }
  const run = async (script = 'exit 1') => await promisify(execFile)('sh', ['-ec', script], { cwd, env })
  await run(backUp)
  expect(statSync(join(cwd, 'viewers.dump')).mode & 0o777).toBe(0o600)
  await viewers.remove('ada')
  await viewers.close()
  const newer = 'CREATE TABLE viewer_auth.later (x int); UPDATE viewer_auth.schema_version SET version = 99'
  await server.query(newer, [], database)
  await run(restore)
  const store = await openPostgresStore(appSettings())
  onTestFinished(() => store.close())
  const { passwordHash: _hash, disabled: _disabled, ...viewer } = ada
  expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true, viewer })
  const readHash = async () => (await server.query('SELECT password_hash FROM viewer_auth.viewers', [], database)).rows
  await expect.poll(readHash).toEqual([{ password_hash: expect.stringMatching(/^\$argon2id\$/) }])
  const kept = await server.query('SELECT version FROM viewer_auth_replaced.schema_version', [], database)
  expect(kept.rows).toEqual([{ version: 99 }])
})

test('the role of the app can do nothing but read viewers, replace hashes and store what viewers add', async () => {
  await migratePostgres(ownerSettings(), appSettings())
  await server.query('CREATE TABLE orders (id int)', [], database)
  const client = await connectAsApp()
  const refused = [
    'CREATE TABLE public.mine (id int)',
    'CREATE TABLE viewer_auth.mine (id int)',
    'CREATE SCHEMA mine',
    'CREATE EXTENSION pg_trgm',
    'CREATE ROLE mine',
    'SELECT * FROM orders',
    'DROP TABLE orders',
    'DROP TABLE viewer_auth.viewers',
    'TRUNCATE viewer_auth.viewers',
    "INSERT INTO viewer_auth.viewers (key, username, password_hash) VALUES ('eve', 'eve', '')",
    'DELETE FROM viewer_auth.viewers',
    "UPDATE viewer_auth.viewers SET username = 'eve'",
    'UPDATE viewer_auth.viewers SET disabled = false',
    'UPDATE viewer_auth.schema_version SET version = 0',
    "UPDATE viewer_auth.passkey_handles SET handle = 'eve'",
    'DELETE FROM viewer_auth.passkey_handles',
    "SELECT pg_read_file('/etc/passwd')",
    "COPY viewer_auth.viewers TO PROGRAM 'cat'",
    'SELECT rolpassword FROM pg_authid',
    'SET ROLE administrator',
  ]
  const states = []
  for (const sql of refused) states.push([sql, await stateOf(client, sql)])
  expect(states).toEqual(refused.map((sql) => [sql, '42501']))
  expect(await stateOf(client, 'SELECT * FROM viewer_auth.viewers')).toBe('done')
})

type AppStore = UserStore & Partial<ChangesPasswords> & Partial<KeepsPasskeys>

/** Opens the store in the role of the app. It has one viewer. */
async function storeWithAda(): Promise<AppStore> {
  await migratePostgres(ownerSettings(), appSettings())
  const insert = "INSERT INTO viewer_auth.viewers (key, username, password_hash) VALUES ('ada', 'ada', '')"
  await server.query(insert, [], database)
  const store = createPostgresStore(connectPostgres(appSettings()))
  onTestFinished(() => store.close())
  return store
}

test('the role of the app stores links and passwords', async () => {
  const { passwordChanges } = await storeWithAda()
  const link = { purpose: 'reset', digest: 'd1', expiresAtSeconds: 2 } as const
  await passwordChanges?.assertAllowed()
  expect(await passwordChanges?.createLink('ada', link)).not.toBeNull()
  expect(await passwordChanges?.createLink('ada', link)).not.toBeNull()
  expect(await passwordChanges?.setByLink('d1', 1, 'correct horse battery')).not.toBeNull()
})

test('the role of the app stores passkeys', async () => {
  const { passkeys } = await storeWithAda()
  await passkeys?.assertAllowed()
  expect(await passkeys?.userHandleOf('ada')).not.toBeNull()
  expect(await passkeys?.add('ada', passkey('one'))).toBe('added')
  expect(await passkeys?.recordUse('one', { counter: 1, isBackedUp: false, usedAtSeconds: 2 })).toBe('recorded')
  expect(await passkeys?.remove('ada', 'one')).toBe(true)
})

test.each([
  [
    'links',
    'password_links',
    'passwordChanges',
    /GRANT SELECT, INSERT, UPDATE, DELETE ON viewer_auth.password_links TO/,
  ],
  [
    'passkeys',
    'passkeys',
    'passkeys',
    /GRANT SELECT, INSERT, UPDATE, DELETE ON viewer_auth.passkeys TO .*PASSKEYS=off/,
  ],
  [
    'user handles',
    'passkey_handles',
    'passkeys',
    /GRANT SELECT, INSERT ON viewer_auth.passkey_handles TO .*PASSKEYS=off/,
  ],
] as const)(
  'a role without rights on %s is refused where viewers may store them',
  async (_what, table, part, message) => {
    await migratePostgres(ownerSettings(), appSettings())
    const role = JSON.stringify(app.user).replace('\\"', '""')
    const store: AppStore = await openPostgresStore(appSettings())
    onTestFinished(() => store.close())
    // "GRANT SELECT ON ALL TABLES" of an older version does not cover the table.
    for (const right of ['INSERT', 'SELECT']) {
      await server.query(`REVOKE ${right} ON viewer_auth.${table} FROM ${role}`, [], database)
      await expect(store[part]?.assertAllowed()).rejects.toThrow(message)
      await server.query(`GRANT ${right} ON viewer_auth.${table} TO ${role}`, [], database)
    }
  },
)

test('a second migration sets a new password of the role', async () => {
  await migratePostgres(ownerSettings(), appSettings())
  const old = appSettings()
  app.password = randomUUID()
  expect(await migratePostgres(ownerSettings(), appSettings())).toMatchObject({ from: 5, to: 5 })
  await connectAsApp()
  await expect(openPostgresStore(old)).rejects.toThrow(ConfigError)
})

test('migrations that run at once create the role once', async () => {
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => migratePostgres(ownerSettings(), appSettings())))
  expect(outcomes.filter(({ from }) => from === 0)).toHaveLength(1)
  await connectAsApp()
})

test.each([
  ['the owner', () => ({ user: 'administrator' })],
  ['a superuser', () => ({ user: 'super' })],
  ['a member of the role that migrates', () => ({ user: 'member' })],
  ['a role that creates roles', () => ({ user: 'creator' })],
  ['a password that is not ASCII', () => ({ password: 'pässword' })],
])('a migration refuses %s as the role of the app, and changes nothing', async (_case, changed) => {
  await server.query(`DO $$ BEGIN
    CREATE ROLE super SUPERUSER; CREATE ROLE creator CREATEROLE; CREATE ROLE member IN ROLE administrator;
    EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
  await expect(migratePostgres(ownerSettings(), appSettings(changed()))).rejects.toThrow(ConfigError)
  const { rows } = await server.query("SELECT to_regnamespace('viewer_auth') AS schema", [], database)
  expect(rows).toEqual([{ schema: null }])
})

test('a migration refuses a role of the app in another database', async () => {
  await expect(migratePostgres(ownerSettings(), settingsOf(server.url({ ...app })))).rejects.toThrow(ConfigError)
})

test('a migration as an owner without CREATEROLE names this right', async () => {
  const owner = await server.createRole()
  await server.query(`ALTER DATABASE ${database} OWNER TO ${owner.user}`)
  const settings = settingsOf(server.url({ database, ...owner }))
  await expect(migratePostgres(settings, appSettings())).rejects.toThrow('CREATEROLE')
})

test('no statement to the server contains the password of the role', async () => {
  await migratePostgres(ownerSettings())
  const connection = connectPostgres(ownerSettings())
  onTestFinished(() => connection.close())
  const sent: unknown[] = []
  await connection.use((client) =>
    grantAppRole(
      {
        ...client,
        rows(sql, values) {
          sent.push(sql, values)
          return client.rows(sql, values)
        },
      },
      ownerSettings(),
      appSettings(),
    ),
  )
  expect(JSON.stringify(sent)).toContain('SCRAM-SHA-256')
  expect(JSON.stringify(sent)).not.toContain(app.password)
  await connectAsApp()
})
