import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openPostgresRecords } from '../../../../src/services/guests/postgres/postgres-records.ts'
import { settingsOf } from '../../../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../../../users/postgres/server.ts'
import { decisionsContract } from '../decisions-contract.ts'
import { registrationsContract } from '../registrations-contract.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

for (const contract of [registrationsContract, decisionsContract]) {
  contract('PostgreSQL', async (nowSeconds) => {
    const url = server.url({ database: await server.createDatabase() })
    const open = () => {
      const store = openPostgresRecords({ ...settingsOf(url), timeoutMs: 10_000 }, { nowSeconds })
      onTestFinished(store.close)
      return store
    }
    return { store: open(), openOther: () => Promise.resolve(open()) }
  })
}
