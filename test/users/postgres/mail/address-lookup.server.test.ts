import { afterAll, beforeAll, expect, test } from 'vitest'
import { migratePostgres, openEditablePostgresStore } from '../../../../src/users/postgres/editable-store.ts'
import { BY_ADDRESS } from '../../../../src/users/postgres/own-table/mail/address-lookup.ts'
import { openPostgresStore } from '../../../../src/users/postgres/store.ts'
import { addressChangesContract, addressLookupContract, addressViewers } from '../../mail/address-lookup-contract.ts'
import { quickPasswords } from '../../sign-in-run.ts'
import { settingsOf } from '../fixture.ts'
import { type PostgresServer, startPostgres } from '../server.ts'
import { postgresStorage } from '../storage.ts'

let server: PostgresServer
let database: string
let url: string
beforeAll(async () => {
  server = await startPostgres()
  database = await server.createDatabase()
  const owner = settingsOf(server.url({ database }))
  const role = { user: 'app_of_addresses', password: 'a password of this role' }
  url = server.url({ database, ...role })
  await migratePostgres(owner, { ...role, database })
  const store = await openEditablePostgresStore(owner, { passwords: quickPasswords })
  for (const { password, disabled, ...viewer } of addressViewers) {
    await store.add(viewer, password)
    await store.setDisabled(viewer.username, disabled)
  }
  await store.close()
})
afterAll(() => server.stop())

addressLookupContract('postgres, with the rights of the app alone', () => openPostgresStore(settingsOf(url)))
addressChangesContract('postgres', postgresStorage())

test('the look-up uses the index of addresses, in a table that was never analyzed', async () => {
  const many = `INSERT INTO viewer_auth.viewers (key, username, password_hash, attributes)
    SELECT 'v' || n, 'v' || n, 'none', jsonb_build_object('mail', 'v' || n || '@example.org') FROM generate_series(1, 20000) AS n
    ON CONFLICT DO NOTHING`
  await server.query(many, [], database)
  const sql = `EXPLAIN ${BY_ADDRESS.replace('$1', "'mail=v7@example.org'")}`
  expect(JSON.stringify(await server.query(sql, [], database))).toContain('viewers_by_address')
})
