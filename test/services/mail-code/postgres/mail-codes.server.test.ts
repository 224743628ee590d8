import { afterAll, beforeAll } from 'vitest'
import { openPostgresRecords } from '../../../../src/services/guests/postgres/postgres-records.ts'
import { settingsOf } from '../../../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../../../users/postgres/server.ts'
import { mailCodesContract } from '../mail-codes-contract.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

mailCodesContract('PostgreSQL', async (nowSeconds) => {
  const url = server.url({ database: await server.createDatabase() })
  const open = () => openPostgresRecords({ ...settingsOf(url), timeoutMs: 10_000 }, { nowSeconds })
  return { store: open(), openOther: () => Promise.resolve(open()) }
})
