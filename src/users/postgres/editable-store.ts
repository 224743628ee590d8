import { ConfigError, UpstreamError } from '../../errors.ts'
import { createQueue } from '../../server/work-queue.ts'
import { ownInvitations } from '../account/own-password-links.ts'
import type { EditableStoreOptions, EditableUserStore } from '../editable-user-store.ts'
import { ownBatches } from '../import-batch/own-batches.ts'
import { ownPages } from '../manager/own-pages.ts'
import { ownViewers } from '../own-tables/own-viewers.ts'
import { readViewerState } from '../own-tables/viewer-tables.ts'
import { hashingQueueOptions } from '../passwords/hashing-queue.ts'
import { storedPasswords } from '../passwords/stored-passwords.ts'
import { connectPostgres, type PostgresConnection } from './connection.ts'
import { refusalAsUpstreamError, settingFault } from './fault.ts'
import type { Migration } from './migration.ts'
import type { AppRole } from './own-table/app-role.ts'
import { batchDialect } from './own-table/import-batch/batch-dialect.ts'
import { pageDialect } from './own-table/manager/page-dialect.ts'
import { assertViewersTable, migrateViewers } from './own-table/schema.ts'
import { postgresTables } from './own-table/tables.ts'
import type { PostgresSettings } from './settings.ts'
import { createPostgresStore, ofOwnTables, type PostgresStoreOptions } from './store.ts'

/** Long, because a command may wait for the locks of another command, such as an import. */
const COMMAND_TIMEOUT_MS = 60_000
/** The role of the login app can only read viewers and replace hashes. */
const OWNER_NEEDED = "Use the owner's role in USER_STORE_URL: see src/users/postgres/README.md"

/** A command checks the tables when it opens the store. */
const assertUsable = () => Promise.resolve()

/**
 * Opens the app's own table for changes. Running apps and other commands may use the table at the same time.
 * @throws ConfigError when the settings are wrong, the table is missing, or POSTGRES_QUERY is set.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function openEditablePostgresStore(
  settings: PostgresSettings,
  options: PostgresStoreOptions & EditableStoreOptions = {},
): Promise<EditableUserStore> {
  const connection = await connectForCommand(settings, options)
  return await closingOnFailure(connection, async () => {
    await assertViewersTable(connection)
    const queue = options.queue ?? createQueue(hashingQueueOptions())
    const { passwords = storedPasswords } = options
    const tables = postgresTables(connection, assertUsable, OWNER_NEEDED)
    return {
      ...createPostgresStore(connection, { ...options, queue, passwords }),
      ...ofOwnTables({ tables, settings, queue, passwords }),
      ...ownInvitations(tables),
      ...ownViewers(tables, options),
      list: () => tables.list((row) => readViewerState(tables, row)),
      ...ownBatches(tables, batchDialect),
      ...ownPages(tables, pageDialect),
    }
  })
}

/**
 * Creates the app's own table, or updates it to the version of this app.
 * @param app also creates this role, and grants it what the login app needs.
 * @throws ConfigError when the settings are wrong, or the role lacks a permission.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function migratePostgres(settings: PostgresSettings, app: AppRole | null = null): Promise<Migration> {
  const connection = await connectForCommand(settings, {})
  try {
    return await refusalAsUpstreamError(migrateViewers(connection, app))
  } finally {
    await connection.close()
  }
}

/** Connects and tests the connection, so that wrong settings become a ConfigError. */
async function connectForCommand(
  settings: PostgresSettings,
  options: PostgresStoreOptions,
): Promise<PostgresConnection> {
  if (settings.query !== null) {
    throw new ConfigError(
      'POSTGRES_QUERY is set, so the viewers are in your own table. Change them there. This command works only on the ' +
        "app's own table.",
    )
  }
  const connection = connectPostgres(settings, { ...options, timeoutMs: COMMAND_TIMEOUT_MS })
  return await closingOnFailure(connection, async () => {
    try {
      await connection.use((client) => client.rows('SELECT 1'))
      return connection
    } catch (cause) {
      const fault = cause instanceof UpstreamError ? settingFault(cause.cause, settings) : null
      throw fault === null ? cause : new ConfigError(fault, { cause })
    }
  })
}

async function closingOnFailure<T>(connection: PostgresConnection, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await connection.close()
    throw error
  }
}
