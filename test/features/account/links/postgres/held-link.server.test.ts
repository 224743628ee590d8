import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { databaseWithAda, migratedStore } from '../../../../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../../../../users/postgres/server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test('a link that another copy is using sets no second password', { timeout: 30_000 }, async () => {
  const { database } = await databaseWithAda(server)
  const url = server.url({ database })
  const { passwordChanges } = await migratedStore(url)
  await passwordChanges.createLink('ada', { purpose: 'reset', digest: 'd1', expiresAtSeconds: 2_000_000_000 })
  const other = new Client({ connectionString: url, ssl: false })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query("BEGIN; UPDATE viewer_auth.viewers SET password_hash = 'x'; DELETE FROM viewer_auth.password_links")
  const used = passwordChanges.setByLink('d1', 0, 'another heron ladder')
  await Promise.race([used, sleep(2_000)])
  await other.query('COMMIT')
  expect(await used).toBeNull()
})
