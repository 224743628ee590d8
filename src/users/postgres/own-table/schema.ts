import { z } from 'zod'
import { ConfigError } from '../../../errors.ts'
import { migrationsIn, RELEASE } from '../../../server/migrations.ts'
import { inTransaction, type PostgresConnection, type SqlClient } from '../connection.ts'
import { isMissingPermission, isMissingTable, isStatementError, placeOf } from '../fault.ts'
import type { Migration } from '../migration.ts'
import { type AppRole, grantAppRole } from './app-role.ts'

/**
 * The tables have a schema of their own: no table of the customer has the same name, and one GRANT covers all tables.
 * Keys are sorted by their bytes, so that the order is the same in every locale.
 */
const MIGRATIONS = migrationsIn(new URL('migrations/', import.meta.url))

/** The version of the tables that this app needs: the number of migrations. */
const VERSION = MIGRATIONS.length
/** "VwrA": an advisory lock, so that two migrations cannot run at once. */
const LOCK = 0x56777241
const MIGRATE = 'npm run -s viewer-auth -- viewers migrate'

const VersionRow = z.tuple([z.object({ version: z.int(), release: z.string().nullable() })])
const StateRow = z.tuple([z.object({ has_schema: z.boolean(), has_version: z.boolean(), encoding: z.string() })])

/**
 * Creates the tables, or updates them to the version of this app, in one transaction. Safe to run several times at
 * once.
 * @param app also creates this role, and grants it what the app needs. Null changes no role.
 * @throws ConfigError when the role lacks a permission, the tables have a newer version, or `app` cannot be used.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function migrateViewers(connection: PostgresConnection, app: AppRole | null): Promise<Migration> {
  const { settings } = connection
  try {
    return await inTransaction(connection, async (client) => {
      await client.rows('SELECT pg_advisory_xact_lock($1)', [LOCK])
      await prepareVersion(client)
      const from = await knownVersion(client)
      for (const migration of MIGRATIONS.slice(from)) await client.rows(migration)
      if (from < VERSION) {
        await client.rows('ALTER TABLE viewer_auth.schema_version ADD COLUMN IF NOT EXISTS release text')
        await client.rows('UPDATE viewer_auth.schema_version SET version = $1, release = $2', [VERSION, RELEASE])
      }
      if (app !== null) await grantAppRole(client, settings, app)
      return { from, to: VERSION }
    })
  } catch (cause) {
    if (!isMissingPermission(cause)) throw cause
    const message =
      `The role ${JSON.stringify(settings.user)} may not create tables in ${placeOf(settings)} ` +
      `(${(cause as Error).message}). Use the role that owns the database in USER_STORE_URL, or GRANT CREATE ON ` +
      'DATABASE to this role.'
    throw new ConfigError(message, { cause })
  }
}

/**
 * Checks that the app can read the tables.
 * @throws ConfigError when the tables are missing, have another version, or the role may not read them.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function assertViewersTable({ settings, use }: PostgresConnection): Promise<void> {
  try {
    const version = await use(async (client) => {
      await client.rows('SELECT 1 FROM viewer_auth.viewers LIMIT 1')
      return await knownVersion(client)
    })
    if (version < VERSION) {
      throw new ConfigError(`The viewers table has an older version (${version} of ${VERSION}). Run ${MIGRATE}.`)
    }
  } catch (cause) {
    if (isMissingTable(cause)) {
      const message = `There is no viewers table in ${placeOf(settings)}. Create it with ${MIGRATE}, or set POSTGRES_QUERY to read your own table.`
      throw new ConfigError(message, { cause })
    }
    if (isMissingPermission(cause)) {
      const role = JSON.stringify(settings.user)
      const message = `The role ${role} may not read the viewers table in ${placeOf(settings)} (${cause.message}). GRANT USAGE ON SCHEMA viewer_auth and SELECT ON ALL TABLES IN SCHEMA viewer_auth TO ${role}.`
      throw new ConfigError(message, { cause })
    }
    if (isStatementError(cause) || cause instanceof z.ZodError) {
      throw new ConfigError(
        `The schema viewer_auth in ${placeOf(settings)} was not created by this app: ${cause.message}`,
        {
          cause,
        },
      )
    }
    throw cause
  }
}

/** Creates the schema and its version table if they are missing. */
async function prepareVersion(client: SqlClient): Promise<void> {
  const [{ has_schema, has_version, encoding }] = StateRow.parse(
    await client.rows(`SELECT to_regnamespace('viewer_auth') IS NOT NULL AS has_schema,
                           EXISTS (SELECT FROM pg_tables
                                   WHERE schemaname = 'viewer_auth' AND tablename = 'schema_version') AS has_version,
                           current_setting('server_encoding') AS encoding`),
  )
  if (encoding !== 'UTF8') {
    throw new ConfigError(
      `The database has the encoding ${encoding}, which cannot store every name. Create a database with UTF8.`,
    )
  }
  if (!has_schema) await client.rows('CREATE SCHEMA viewer_auth')
  if (!has_version) {
    await client.rows('CREATE TABLE viewer_auth.schema_version (version integer NOT NULL)')
    await client.rows('INSERT INTO viewer_auth.schema_version (version) VALUES (0)')
  }
}

/** Returns the version of the tables. @throws ConfigError if a later release has changed them. */
async function knownVersion(client: SqlClient): Promise<number> {
  // As JSON, since tables of earlier releases have no column `release`.
  const sql = "SELECT version, to_jsonb(own) ->> 'release' AS release FROM viewer_auth.schema_version AS own"
  const [{ version, release }] = VersionRow.parse(await client.rows(sql))
  if (version <= VERSION) return version
  throw new ConfigError(
    `The viewers table was last changed by release ${release} of this app (version ${version}, supported: ${VERSION}), ` +
      `and this is ${RELEASE}. Use that release or a later one.`,
  )
}
