import { afterAll, beforeAll } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import { userStores } from '../../../src/users/open-user-store.ts'
import { migratePostgres } from '../../../src/users/postgres/editable-store.ts'
import { settingsOf } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'

/** Starts a server for the tests of a file. Returns what empties its database for a contract, and opens stores on it. */
export function postgresStorage(): () => Promise<() => Promise<EditableUserStore>> {
  let server: PostgresServer
  let database: string
  beforeAll(async () => {
    server = await startPostgres()
    database = await server.createDatabase()
  })
  afterAll(() => server.stop())
  return async () => {
    const settings = settingsOf(server.url({ database }))
    await migratePostgres(settings)
    await server.query('DELETE FROM viewer_auth.viewers', [], database)
    return () => userStores.openEditable(settings)
  }
}
