import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import PACKAGE from '../../../package.json' with { type: 'json' }
import { ConfigError, UpstreamError } from '../../../src/errors.ts'
import { userStores } from '../../../src/users/open-user-store.ts'
import type { KeepsPasskeys } from '../../../src/users/passkeys/passkey-store.ts'
import { migratePostgres } from '../../../src/users/postgres/editable-store.ts'
import { openPostgresStore } from '../../../src/users/postgres/store.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { editableStoreContract } from '../editable-store-contract.ts'
import { importContract, importInto } from '../import-batch/import-contract.ts'
import { pagesContract } from '../manager/pages-contract.ts'
import { password, quickHashing } from '../sign-in-run.ts'
import { databaseWithAda, migratedStore, openQuickStore, settingsOf } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'
import { postgresStorage } from './storage.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

for (const contract of [editableStoreContract, importContract, pagesContract]) contract('postgres', postgresStorage())

/** The hash of "U*U", from crypt_blowfish. */
const bcrypt = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

describe('the viewers table', () => {
  test('concurrent migrations create the viewers table once, and a later migration keeps its rows', async () => {
    const database = await server.createDatabase()
    const settings = settingsOf(server.url({ database }))
    const made = await Promise.all([1, 2, 3, 4].map(() => migratePostgres(settings)))
    expect(made.map(({ from }) => from).sort()).toEqual([0, 5, 5, 5])
    const store = await migratedStore(server.url({ database }))
    await store.add({ username: 'ada', groups: [], attributes: {} }, password)
    expect(await migratePostgres(settings)).toEqual({ from: 5, to: 5 })
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
  })

  test('a viewers table of a newer release is refused by the app and by the migration, which name that release', async () => {
    const { database } = await databaseWithAda(server)
    const newer = "UPDATE viewer_auth.schema_version SET version = 99, release = '99.1.2'"
    const before = await server.query('SELECT release FROM viewer_auth.schema_version', [], database)
    expect(before.rows).toEqual([{ release: PACKAGE.version }])
    await server.query(newer, [], database)
    const settings = settingsOf(server.url({ database }))
    for (const useTable of [openPostgresStore, migratePostgres]) {
      const refused = useTable(settings)
      await expect(refused).rejects.toThrow(ConfigError)
      await expect(refused).rejects.toThrow(
        /release 99\.1\.2 of this app \(version 99, supported: 5\).* Use that release/,
      )
    }
  })

  test('a viewers table of the version before passkeys keeps its viewers, and takes passkeys', async () => {
    const { database } = await databaseWithAda(server)
    const older = `ALTER TABLE viewer_auth.schema_version DROP COLUMN release; DROP TABLE viewer_auth.passkeys; DROP TABLE viewer_auth.passkey_handles;
                   DROP FUNCTION viewer_auth.addresses_of CASCADE;
                   UPDATE viewer_auth.schema_version SET version = 2`
    await server.query(older, [], database)
    const url = server.url({ database })
    expect(await migratePostgres(settingsOf(url))).toEqual({ from: 2, to: 5 })
    const store: UserStore & Partial<KeepsPasskeys> = await openQuickStore(url)
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
    expect(await store.passkeys?.userHandleOf('ada')).not.toBeNull()
  })

  test('a viewers table of an older version is refused, and the message names the migrate command', async () => {
    const { database } = await databaseWithAda(server)
    await server.query('UPDATE viewer_auth.schema_version SET version = 0', [], database)
    const opening = openPostgresStore(settingsOf(server.url({ database })))
    await expect(opening).rejects.toThrow(/older version \(0 of 5\).* npm run -s viewer-auth -- viewers migrate\.$/)
  })

  test('a schema viewer_auth that this app did not create is refused', async () => {
    const database = await server.createDatabase()
    await server.query('CREATE SCHEMA viewer_auth; CREATE TABLE viewer_auth.schema_version (v text)', [], database)
    const settings = settingsOf(server.url({ database }))
    await expect(migratePostgres(settings)).rejects.toThrow(UpstreamError)
    await server.query('CREATE TABLE viewer_auth.viewers (v text)', [], database)
    await expect(openPostgresStore(settings)).rejects.toThrow(/^The schema viewer_auth /)
  })

  test('a role without the permission to create tables is told what it needs', async () => {
    const role = await server.createRole()
    const settings = settingsOf(server.url({ database: await server.createDatabase(), ...role }))
    await expect(migratePostgres(settings)).rejects.toThrow(/^The role ".*" may not create tables .*USER_STORE_URL/)
  })

  test('a database whose encoding cannot store every name is refused', async () => {
    const database = `l${await server.createDatabase()}`
    await server.query(`CREATE DATABASE ${database} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
    await expect(migratePostgres(settingsOf(server.url({ database })))).rejects.toThrow(/LATIN1.* UTF8/)
  })
})

describe('the grants of the README', () => {
  test('the grants of the README let the app sign viewers in and renew hashes, and nothing else', async () => {
    const { database, url } = await databaseWithAda(server)
    const hashOfAda = async () =>
      (await server.query('SELECT password_hash FROM viewer_auth.viewers', [], database)).rows[0]?.password_hash
    await server.query('UPDATE viewer_auth.viewers SET password_hash = $1', [bcrypt], database)
    const store = await openPostgresStore(settingsOf(url))
    expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
    expect(await hashOfAda()).toMatch(/^\$argon2id\$/)
    await store.close()

    const editable = await userStores.openEditable(settingsOf(url))
    await expect(editable.setDisabled('ada', true)).rejects.toThrow(/permission denied for table viewers.*owner/)
    await expect(editable.add({ username: 'x', groups: [], attributes: {} }, password)).rejects.toThrow(UpstreamError)
    await expect(editable.remove('ada')).rejects.toThrow(UpstreamError)
    await editable.close()
  })

  test('the grants of the README for the viewers commands are enough for them', async () => {
    const { database, url, user } = await databaseWithAda(server)
    await server.query(`GRANT INSERT, UPDATE, DELETE ON viewer_auth.viewers TO ${user}`, [], database)
    const editable = await userStores.openEditable(settingsOf(url))
    expect(await editable.add({ username: 'grace', groups: [], attributes: {} }, password)).toMatchObject({ ok: true })
    expect(await editable.setDisabled('ada', true)).toMatchObject({ ok: true })
    expect(await editable.setPassword('ada', 'another heron ladder')).toMatchObject({ ok: true })
    const imported = { username: 'grace', passwordHash: null, groups: ['staff'], disabled: false, attributes: {} }
    expect(await importInto(editable, [imported], 'update')).toEqual(['updated'])
    expect(await editable.remove('ada')).toMatchObject({ ok: true })
    await editable.close()
  })
})

test("viewers in a customer's own table cannot be changed by this app", async () => {
  const settings = settingsOf(server.url(), { POSTGRES_QUERY: 'SELECT $1' })
  await expect(userStores.openEditable(settings)).rejects.toThrow(/^POSTGRES_QUERY /)
  await expect(migratePostgres(settings)).rejects.toThrow(/^POSTGRES_QUERY /)
})

test('a damaged row is a failure of the store, not a wrong password', async () => {
  const { database, url } = await databaseWithAda(server)
  await server.query(`UPDATE viewer_auth.viewers SET attributes = '{"a": 1}'`, [], database)
  const store = await openPostgresStore(settingsOf(url))
  await expect(store.authenticate('ada', password)).rejects.toThrow(/damaged row/)
  await store.close()
})

test('a damaged row fails only the look-up of its viewer', async () => {
  const { database, url } = await databaseWithAda(server)
  await server.query(
    `INSERT INTO viewer_auth.viewers (key, username, password_hash, attributes) VALUES ('grace', 'grace', '', '{"a": 1}')`,
    [],
    database,
  )
  const store = await openPostgresStore(settingsOf(url))
  const lookUps = ['ada', 'grace', 'unknown'].map((username) => store.find?.(username))
  expect(await Promise.allSettled(lookUps)).toMatchObject([
    { value: { username: 'ada' } },
    { reason: { message: expect.stringContaining('damaged row') } },
    { value: null },
  ])
  await store.close()
})

test('a password that is set while the old hash is being renewed is kept', async () => {
  const { database, url } = await databaseWithAda(server)
  const passwords = {
    ...quickHashing(true),
    hash: async () => {
      await server.query("UPDATE viewer_auth.viewers SET password_hash = 'quick:newer'", [], database)
      return 'quick:renewed'
    },
  }
  const store = await openQuickStore(url, {}, { passwords })
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
  expect(await store.authenticate('ada', 'newer')).toMatchObject({ ok: true })
})

test('a viewer whose hash cannot be renewed still signs in, and the operator is warned', async () => {
  const { database, url, user } = await databaseWithAda(server)
  await server.query(`REVOKE UPDATE (password_hash) ON viewer_auth.viewers FROM ${user}`, [], database)
  const warnings: string[] = []
  const passwords = quickHashing(true)
  const store = await openQuickStore(url, {}, { passwords, warn: (message) => warnings.push(message) })
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
  expect(warnings).toEqual([expect.stringContaining('"ada"')])
})
