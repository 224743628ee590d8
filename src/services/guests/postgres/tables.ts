import { z } from 'zod'
import { ConfigError } from '../../../errors.ts'
import { migrationsIn, RELEASE } from '../../../server/migrations.ts'
import { inTransaction, type PostgresConnection, type SqlClient } from '../../../users/postgres/connection.ts'
import { isMissingPermission, placeOf } from '../../../users/postgres/fault.ts'

/** The tables have a schema of their own: the role of the app may own it without a right on the tables of viewers. */
const MIGRATIONS = migrationsIn(new URL('migrations/', import.meta.url))
const VERSION = MIGRATIONS.length
/** "VwrG": an advisory lock, so that two copies of the app cannot create the tables at once. */
const LOCK = 0x56777247

const Found = z.tuple([z.object({ has_schema: z.boolean(), has_version: z.boolean() })])
const Version = z.tuple([z.object({ version: z.int(), release: z.string() })])
/** Reads the catalog itself: to_regclass() may miss tables that another copy has just created. */
const FOUND = `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'viewer_guests') AS has_schema,
  EXISTS (SELECT FROM pg_tables WHERE schemaname = 'viewer_guests' AND tablename = 'schema_version') AS has_version`

/**
 * Creates the tables, or updates them to the version of this app.
 * @throws ConfigError if the role may not do so, or a later release has changed them.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function prepareTables(connection: PostgresConnection): Promise<void> {
  const { settings } = connection
  try {
    if ((await connection.use(versionIn)) === VERSION) return
    await inTransaction(connection, async (client) => {
      await client.rows('SELECT pg_advisory_xact_lock($1)', [LOCK])
      const from = await versionIn(client)
      if (from === null) await createSchema(client)
      for (const migration of MIGRATIONS.slice(from ?? 0)) await client.rows(migration)
      await client.rows('UPDATE viewer_guests.schema_version SET version = $1, release = $2', [VERSION, RELEASE])
    })
  } catch (cause) {
    if (!isMissingPermission(cause)) throw cause
    const role = JSON.stringify(settings.user)
    throw new ConfigError(
      `GUESTS_STORE_URL: the role ${role} may not create its tables in ${placeOf(settings)} ` +
        `(${(cause as Error).message}). Run as the owner: CREATE SCHEMA viewer_guests AUTHORIZATION ${role}.`,
      { cause },
    )
  }
}

async function createSchema(client: SqlClient): Promise<void> {
  const [{ has_schema }] = Found.parse(await client.rows(FOUND))
  if (!has_schema) await client.rows('CREATE SCHEMA viewer_guests')
  await client.rows('CREATE TABLE viewer_guests.schema_version (version integer NOT NULL, release text NOT NULL)')
  await client.rows("INSERT INTO viewer_guests.schema_version VALUES (0, '')")
}

/** Returns the version of the tables; null without tables. @throws ConfigError if a later release has changed them. */
async function versionIn(client: SqlClient): Promise<number | null> {
  const [{ has_version }] = Found.parse(await client.rows(FOUND))
  if (!has_version) return null
  const [{ version, release }] = Version.parse(
    await client.rows('SELECT version, release FROM viewer_guests.schema_version'),
  )
  if (version <= VERSION) return version
  throw new ConfigError(
    `GUESTS_STORE_URL: the tables were last changed by release ${release} of this app, and this is ${RELEASE}. ` +
      'Use that release or a later one.',
  )
}
