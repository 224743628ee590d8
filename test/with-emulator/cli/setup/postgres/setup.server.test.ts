import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../../users/postgres/server.ts'
import { openSetUp, SUCCESS, VIEWER } from '../set-up-store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test('setup creates the table in PostgreSQL, adds the viewer, and viewers get through', async () => {
  const setUp = await openSetUp({ USER_STORE_URL: server.url({ database: await server.createDatabase() }) })
  const { status, printed } = await setUp(VIEWER)
  expect(printed).toContain('Created the table of viewers')
  expect(printed).toContain('Added ada@example.com.')
  expect([status, printed]).toEqual([SUCCESS[0], expect.stringMatching(SUCCESS[1])])
})
