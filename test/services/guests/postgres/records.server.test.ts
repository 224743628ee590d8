import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../../src/errors.ts'
import { watchClock } from '../../../../src/features/shared-clock/watch-clock.ts'
import { openPostgresRecords } from '../../../../src/services/guests/postgres/postgres-records.ts'
import { connectPostgres } from '../../../../src/users/postgres/connection.ts'
import { createPostgresStore } from '../../../../src/users/postgres/store.ts'
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

test('a copy whose clock is wrong compares it with that of PostgreSQL', async () => {
  const url = server.url({ database: await server.createDatabase() })
  const nowSeconds = () => Date.now() / 1000 + 90
  const { nowSeconds: storeSeconds } = open(url, nowSeconds)
  const users = createPostgresStore(connectPostgres({ ...settingsOf(url), timeoutMs: 10_000 }))
  onTestFinished(users.close)
  const stores = [
    { setting: 'GUESTS_STORE_URL', nowSeconds: storeSeconds },
    { setting: 'USER_STORE_URL', nowSeconds: users.nowSeconds },
  ]
  const clock = watchClock({ nowSeconds, log: pino({ level: 'silent' }) })
  onTestFinished(clock.close)
  await clock.watch(stores)
  expect(Object.keys(clock.wrong()).sort()).toEqual(['GUESTS_STORE_URL', 'USER_STORE_URL'])
  for (const seconds of Object.values(clock.wrong())) expect(Math.abs(seconds - 90)).toBeLessThan(3)
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

test('a record that another copy writes again while ended records go is not deleted', async () => {
  const url = server.url({ database: await server.createDatabase() })
  const store = open(url)
  await store.write(['a', 'b'].map((key) => ({ kind: 'code', key, text: 'old', endsAtSeconds: now() })))
  const writer = new Client({ connectionString: url, ssl: false })
  await writer.connect()
  onTestFinished(() => writer.end())
  await writer.query("BEGIN; UPDATE viewer_guests.records SET text = 'new', ends_at = NULL WHERE key = 'a'")
  const removed = store.prune()
  // Without SKIP LOCKED, the deletion waits here for the writer.
  await Promise.race([removed, sleep(1_000)])
  await writer.query('COMMIT')
  expect(await removed).toBe(1)
  expect([await store.read('code', 'a'), await store.prune()]).toMatchObject([{ text: 'new' }, 0])
})

test('a server that is away gives an UpstreamError, and readiness knows', async () => {
  const store = open('postgres://nobody:x@127.0.0.1:1/none')
  const count = () => store.count('code').catch((error: unknown) => error)
  const errors = [await count()]
  for (let failure = 0; failure < 10; failure += 1) errors.push(await count())
  for (let error of errors) {
    expect(error).toBeInstanceOf(UpstreamError)
    for (; error instanceof UpstreamError; error = error.cause) {
      expect([error.upstream, error.message]).toEqual(['guest-store', expect.not.stringContaining('user store')])
    }
  }
  expect(String(errors.at(-1))).toContain('The guest store failed several times')
  expect(store.isAvailable()).toBe(false)
})
