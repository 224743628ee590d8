import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../../src/errors.ts'
import { openPostgresRecords } from '../../../../src/services/guests/postgres/postgres-records.ts'
import { settingsOf } from '../../../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../../../users/postgres/server.ts'
import { recordsContract } from '../records-contract.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const now = () => 1_800_000_000
function open(url: string, nowSeconds = now) {
  const store = openPostgresRecords({ ...settingsOf(url), timeoutMs: 10_000 }, { nowSeconds })
  onTestFinished(store.close)
  return store
}

recordsContract('PostgreSQL', async (nowSeconds) => {
  const url = server.url({ database: await server.createDatabase() })
  return { store: open(url, nowSeconds), openOther: () => Promise.resolve(open(url, nowSeconds)) }
})

test('copies that start at the same time create the tables once', async () => {
  const url = server.url({ database: await server.createDatabase() })
  const stores = Array.from({ length: 5 }, () => open(url))
  const keys = await Promise.all(
    stores.map((store, index) => store.write([{ kind: 'code', key: `${index}`, text: '' }])),
  )
  expect(new Set(keys).size).toBe(5)
})

test('a role that may not create tables is told what the owner has to run, and that is enough', async () => {
  const database = await server.createDatabase()
  const role = await server.createRole()
  const store = open(server.url({ database, ...role }))
  const schema = `CREATE SCHEMA viewer_guests AUTHORIZATION "${role.user}"`
  await expect(store.count('code')).rejects.toThrow(schema)
  await server.query(schema, [], database)
  expect(await store.count('code')).toBe(0)
})

test('tables of a newer release are refused', async () => {
  const database = await server.createDatabase()
  const url = server.url({ database })
  expect(await open(url).count('code')).toBe(0)
  await server.query("UPDATE viewer_guests.schema_version SET version = 99, release = '9.9.9'", [], database)
  await expect(open(url).count('code')).rejects.toThrow('9.9.9')
})

test('a server that is away gives an UpstreamError, and readiness knows', async () => {
  const store = open('postgres://nobody:x@127.0.0.1:1/none')
  await expect(store.count('code')).rejects.toThrow(UpstreamError)
  expect(store.isAvailable()).toBe(false)
})
