import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRegistrations } from '../../../../src/features/registration/book/registrations.ts'
import { withStoredGuests } from '../../../../src/services/guests/settings.ts'
import { readPostgresSettings } from '../../../../src/users/postgres/settings.ts'
import { readSettings } from '../../../features/registration/registration-settings.ts'
import { SETTINGS } from '../../../settings.ts'
import { runHere } from '../../../tools/cli/run-here.ts'
import { type PostgresServer, startPostgres } from '../../../users/postgres/server.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

const ADA = 'ada.lovelace@example.com'
const NAME = 'Augusta Byron'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** Returns the tables of a database that have a text in any column. */
async function tablesWith(database: string, text: string): Promise<string[]> {
  const tables = await server.query(
    "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    [],
    database,
  )
  const found: string[] = []
  for (const { schemaname, tablename } of tables.rows) {
    const name = `"${schemaname}"."${tablename}"`
    const { rows } = await server.query(
      `SELECT count(*)::int AS count FROM ${name} AS one WHERE position($1 IN one::text) > 0`,
      [text],
      database,
    )
    if (rows[0]?.count !== 0) found.push(name)
  }
  return found.toSorted()
}

test('after viewers forget, no table of PostgreSQL has the person', async () => {
  const database = await server.createDatabase()
  const cwd = temporaryFolder()
  const url = server.url({ database })
  const env = {
    ...SETTINGS,
    USER_STORE_URL: url,
    GUESTS_STORE_URL: url,
    REGISTRATION: '{}',
    MAIL_FROM: 'a@example.com',
  }
  const run = (...args: string[]) =>
    runHere(['viewers', ...args], {
      cwd,
      env: { ...env, SMTP_URL: 'smtp://127.0.0.1:1' },
      stdin: 'correct horse battery',
    })
  await run('migrate')
  for (const name of [ADA, 'bob@example.com']) {
    await run('add', name, '--attribute', `mail=${name}`, '--attribute', `realName=${NAME} of ${name}`)
  }
  const read = readPostgresSettings(url, {})
  if (!read.ok) expect.unreachable()
  await withStoredGuests({ store: read.settings }, null, async (records) => {
    const deps = { records, settings: readSettings({}), nowSeconds: () => Date.now() / 1000, mailOf: () => [] }
    for (const entryPoint of ['default', 'of-an-earlier-event']) {
      const registrations = createRegistrations({ ...deps, entryPoint })
      for (const address of [ADA, 'bob@example.com']) {
        await registrations.register({ address, attributes: { name: NAME }, consents: [], language: 'en' })
      }
    }
    return null
  })
  const before = await tablesWith(database, ADA)
  expect(before).toEqual(['"viewer_auth"."viewers"', '"viewer_guests"."records"'])
  const forgotten = JSON.parse((await run('forget', ADA, '--yes', '--json')).stdout)
  expect(forgotten).toMatchObject({ deleted: { account: 1, registrations: 2 }, faults: {} })
  expect(await tablesWith(database, ADA)).toEqual([])
  expect(await tablesWith(database, 'bob@example.com')).toEqual(before)
})
