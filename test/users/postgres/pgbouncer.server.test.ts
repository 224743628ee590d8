import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../sign-in-run.ts'
import { migratedStore, openQuickStore } from './fixture.ts'
import { startPgBouncer } from './pgbouncer.ts'
import { type PostgresServer, startPostgres } from './server.ts'

const SERVER_CONNECTIONS = 4
let server: PostgresServer
let bouncer: Awaited<ReturnType<typeof startPgBouncer>>
beforeAll(async () => {
  server = await startPostgres()
  bouncer = await startPgBouncer(server, SERVER_CONNECTIONS)
})
afterAll(async () => {
  await bouncer.stop()
  await server.stop()
})

test('a store behind PgBouncer with transaction pooling migrates, signs in, looks up and changes viewers', async () => {
  const database = await server.createDatabase()
  const editable = await migratedStore(bouncer.url(database))
  const names = Array.from({ length: 40 }, (_, index) => `viewer${index}@example.com`)
  const rows = names.map((name) => `('${name}', '${name}', 'quick:${password}')`)
  const insert = `INSERT INTO viewer_auth.viewers (key, username, password_hash) VALUES ${rows}`
  await server.query(insert, [], database)
  const stores = await Promise.all([1, 2].map(() => openQuickStore(bouncer.url(database))))
  for (const store of stores) {
    const signIns = await Promise.all(names.map((name) => store.authenticate(name, password)))
    expect(signIns.every(({ ok }) => ok)).toBe(true)
    const lookUps = names.map(async (name) => (await store.find?.(name))?.username)
    expect(await Promise.all(lookUps)).toEqual(names)
  }
  expect(await editable.remove(names[0] ?? '')).toMatchObject({ ok: true })
  expect(await stores[0]?.find?.(names[0] ?? '')).toBeNull()
  const count = 'SELECT count(*)::int AS value FROM pg_stat_activity WHERE datname = $1'
  expect((await server.query(count, [database])).rows[0].value).toBeLessThanOrEqual(SERVER_CONNECTIONS)
})
