import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { type PostgresServer, startPostgres } from '../../../../users/postgres/server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../../cli/run-here.ts'
import { forgetEndedContract } from './forget-ended-contract.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

forgetEndedContract('in PostgreSQL', async () => {
  const cwd = temporaryFolder()
  const files = {
    SESSION_STORE_URL: `sqlite:${join(cwd, 'sessions.db')}`,
    LIMITS_STORE_URL: `sqlite:${join(cwd, 'l.db')}`,
  }
  const env = { ...SETTINGS, ...files, USER_STORE_URL: server.url({ database: await server.createDatabase() }) }
  await runHere(['viewers', 'migrate'], { cwd, env })
  return { cwd, env }
})
