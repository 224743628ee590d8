import { z } from 'zod'
import { ConfigError } from '../../errors.ts'
import type { Migration } from '../editable-user-store.ts'
import { inTransaction, type PostgresAsker, type PostgresConnection } from './connection.ts'
import { isAnswer, isMissingPermission, isMissingTable, placeOf } from './fault.ts'

/**
 * The tables of this app, in a schema of their own: nothing of the customer's has its name, and what the role of the app
 * may do can be granted in one place. The column is sorted by its bytes, so that its order is the same in every locale.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE viewer_auth.viewers (
     key text COLLATE "C" PRIMARY KEY,
     username text NOT NULL,
     password_hash text NOT NULL,
     disabled boolean NOT NULL DEFAULT false,
     group_names text[] NOT NULL DEFAULT '{}',
     attributes jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(attributes) = 'object')
   )`,
]

/** The version of the tables that this app works with: the number of migrations that they have seen. */
const VERSION = MIGRATIONS.length
/** "VwrA": held while the tables are changed, so that two who do it at once do it one after the other. */
const LOCK = 0x56777241
const MIGRATE = 'npm run -s viewer-auth -- viewers migrate'

const VersionRow = z.tuple([z.object({ version: z.int() })])
const StateRow = z.tuple([z.object({ has_schema: z.boolean(), has_version: z.boolean(), encoding: z.string() })])

/**
 * Makes the tables, or brings them to the version of this app; changes nothing where they are. All in one transaction,
 * and safe for several at once.
 * @throws ConfigError when the role may not, or the tables are of a newer version.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function migrateViewers(connection: PostgresConnection): Promise<Migration> {
  const { settings } = connection
  try {
    return await inTransaction(connection, async (ask) => {
      await ask.rows('SELECT pg_advisory_xact_lock($1)', [LOCK])
      const from = await preparedVersion(ask)
      if (from > VERSION) throw new ConfigError(newerVersion(from))
      for (const migration of MIGRATIONS.slice(from)) await ask.rows(migration)
      if (from < VERSION) await ask.rows('UPDATE viewer_auth.schema_version SET version = $1', [VERSION])
      return { from, to: VERSION }
    })
  } catch (cause) {
    if (!isMissingPermission(cause)) throw cause
    const message =
      `The role ${JSON.stringify(settings.user)} may not make the tables in ${placeOf(settings)} ` +
      `(${(cause as Error).message}): run this with USER_STORE_URL naming a role that owns the database, or GRANT ` +
      'CREATE ON DATABASE to it.'
    throw new ConfigError(message, { cause })
  }
}

/**
 * @throws ConfigError with a sentence when the tables are missing, of another version, or closed to this role.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function assertViewersTable({ settings, use }: PostgresConnection): Promise<void> {
  try {
    const rows = await use(async (ask) => {
      await ask.rows('SELECT 1 FROM viewer_auth.viewers LIMIT 1')
      return await ask.rows('SELECT version FROM viewer_auth.schema_version')
    })
    const [{ version }] = VersionRow.parse(rows)
    if (version > VERSION) throw new ConfigError(newerVersion(version))
    if (version < VERSION) {
      throw new ConfigError(`The table of viewers is of an older version (${version} of ${VERSION}): run ${MIGRATE}.`)
    }
  } catch (cause) {
    if (isMissingTable(cause)) {
      const message = `There is no table of viewers in ${placeOf(settings)}: make it with ${MIGRATE}, or set POSTGRES_QUERY to sign in the users of a table of your own.`
      throw new ConfigError(message, { cause })
    }
    if (isMissingPermission(cause)) {
      const role = JSON.stringify(settings.user)
      const message = `The role ${role} may not read the table of viewers in ${placeOf(settings)} (${cause.message}): GRANT USAGE ON SCHEMA viewer_auth and SELECT ON ALL TABLES IN SCHEMA viewer_auth TO ${role}.`
      throw new ConfigError(message, { cause })
    }
    if (isAnswer(cause) || cause instanceof z.ZodError) {
      throw new ConfigError(`The schema viewer_auth in ${placeOf(settings)} is not of this app: ${cause.message}`, {
        cause,
      })
    }
    throw cause
  }
}

/** Makes the schema and the table of its version when they are missing. @returns the version. */
async function preparedVersion(ask: PostgresAsker): Promise<number> {
  const [{ has_schema, has_version, encoding }] = StateRow.parse(
    await ask.rows(`SELECT to_regnamespace('viewer_auth') IS NOT NULL AS has_schema,
                           EXISTS (SELECT FROM pg_tables
                                   WHERE schemaname = 'viewer_auth' AND tablename = 'schema_version') AS has_version,
                           current_setting('server_encoding') AS encoding`),
  )
  if (encoding !== 'UTF8') {
    throw new ConfigError(`The database is encoded in ${encoding}, which cannot hold every name: make one in UTF8.`)
  }
  if (!has_schema) await ask.rows('CREATE SCHEMA viewer_auth')
  if (!has_version) {
    await ask.rows('CREATE TABLE viewer_auth.schema_version (version integer NOT NULL)')
    await ask.rows('INSERT INTO viewer_auth.schema_version (version) VALUES (0)')
  }
  const [{ version }] = VersionRow.parse(await ask.rows('SELECT version FROM viewer_auth.schema_version'))
  return version
}

function newerVersion(version: number): string {
  return `The table of viewers was made by a newer version of this app (${version}; this one knows ${VERSION}): update this app.`
}
