import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../users/postgres/server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test('a throwaway PostgreSQL server keeps its data and its port after a restart', async () => {
  const database = await server.createDatabase()
  await server.query('CREATE TABLE t (a int); INSERT INTO t VALUES (1)', [], database)
  await server.halt()
  await expect(server.query('SELECT 1')).rejects.toThrow('ECONNREFUSED')
  await server.restart()
  expect((await server.query('SELECT a FROM t', [], database)).rows).toEqual([{ a: 1 }])
})

test('a paused PostgreSQL server does not answer, and continues after resume', async () => {
  server.pause()
  const answer = server.query('SELECT 1 AS one')
  expect(await Promise.race([answer, sleep(300, 'no answer')])).toBe('no answer')
  server.resume()
  expect((await answer).rows).toEqual([{ one: 1 }])
})

test('a role of a throwaway PostgreSQL server needs its password', async () => {
  const { user } = await server.createRole()
  const client = new Client({ connectionString: server.url({ user, password: 'wrong' }), ssl: false })
  await expect(client.connect()).rejects.toThrow('password authentication failed')
})
