import { ConfigError, UpstreamError } from '../../errors.ts'
import { createQueue } from '../../server/work-queue.ts'
import type { EditableStoreOptions, EditableUserStore } from '../editable-user-store.ts'
import { noPasswordHash } from '../passwords/argon2.ts'
import { hashingQueueOptions } from '../passwords/hashing-queue.ts'
import { faultInNewPassword } from '../passwords/new-password.ts'
import { storedPasswords } from '../passwords/stored-passwords.ts'
import { noSuchViewer, toListed, viewerExists } from '../viewer-changes.ts'
import type { Change } from '../viewer-editor.ts'
import { canonicalViewer, faultInUsername, faultInViewer, usernameKey } from '../viewer-fields.ts'
import { connectPostgres, type PostgresConnection } from './connection.ts'
import { refusalAsUpstreamError, settingFault } from './fault.ts'
import type { Migration } from './migration.ts'
import { postgresInvitations, postgresPasswordChanges } from './own-table/account/password-links.ts'
import type { AppRole } from './own-table/app-role.ts'
import { postgresBatches } from './own-table/import-batch/postgres-batches.ts'
import { postgresPages } from './own-table/manager/postgres-pages.ts'
import { COLUMNS, readOwnRow } from './own-table/own-table.ts'
import { postgresPasskeys } from './own-table/passkeys/postgres-passkeys.ts'
import { assertViewersTable, migrateViewers } from './own-table/schema.ts'
import { inspectViewer, listViewers, readViewerState } from './own-table/viewer-states.ts'
import type { PostgresSettings } from './settings.ts'
import { createPostgresStore, type PostgresStoreOptions } from './store.ts'

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
    const query = (sql: string, values: readonly unknown[]) => rowsOf(connection, sql, values)
    return {
      ...createPostgresStore(connection, { ...options, queue, passwords }),
      passwordChanges: postgresPasswordChanges(connection, { queue, passwords, assertUsable }),
      passkeys: postgresPasskeys(connection, assertUsable),
      ...postgresInvitations(query),
      inspect: (username) => inspectViewer(query, username),
      ...viewerChanges(connection, options),
      list: () => listViewers(query, readViewerState),
      ...postgresBatches(connection, query, OWNER_NEEDED),
      ...postgresPages(query),
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

function viewerChanges(
  connection: PostgresConnection,
  { passwords = storedPasswords, contextWords = [] }: PostgresStoreOptions & EditableStoreOptions,
): Pick<EditableUserStore, 'add' | 'show' | 'setPassword' | 'setDisabled' | 'remove'> {
  async function changed(username: string, sql: string, values: readonly unknown[] = []): Promise<Change> {
    // No viewer can have such a name, and PostgreSQL refuses a text with NUL.
    if (faultInUsername(username) !== null) return noSuchViewer(username)
    const [row] = await rowsOf(connection, sql, [usernameKey(username), ...values])
    const stored = readOwnRow(row)
    return stored ? { ok: true, viewer: toListed(stored) } : noSuchViewer(username)
  }
  const show = (username: string) => changed(username, `SELECT ${COLUMNS} FROM viewer_auth.viewers WHERE key = $1`)
  const faultIn = (password: string, username: string) => faultInNewPassword(password, username, contextWords)
  const update = (column: string) => `UPDATE viewer_auth.viewers SET ${column} = $2 WHERE key = $1 RETURNING ${COLUMNS}`

  return {
    show,
    async add(viewer, password) {
      const fault = faultInViewer(viewer) ?? (password === null ? null : await faultIn(password, viewer.username))
      if (fault !== null) return { ok: false, fault }
      const { username, groups, attributes } = canonicalViewer(viewer)
      const existing = await show(username)
      if (existing.ok) return viewerExists(existing.viewer)
      const hash = password === null ? noPasswordHash() : await passwords.hash(password)
      const sql = `INSERT INTO viewer_auth.viewers (key, username, password_hash, group_names, attributes)
                   VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key) DO NOTHING RETURNING key`
      const values = [usernameKey(username), username, hash, groups, JSON.stringify(attributes)]
      const added = await rowsOf(connection, sql, values)
      // Another process may have added the name in the meantime.
      if (added.length === 0) return viewerExists({ username })
      return { ok: true, viewer: { username, groups, attributes, disabled: false } }
    },
    async setPassword(username, password) {
      const fault = await faultIn(password, username)
      if (fault !== null) return { ok: false, fault }
      const sql = `WITH links AS (DELETE FROM viewer_auth.password_links WHERE key = $1) ${update('password_hash')}`
      return await changed(username, sql, [await passwords.hash(password)])
    },
    setDisabled: (username, disabled) => changed(username, update('disabled'), [disabled]),
    remove: (username) => changed(username, `DELETE FROM viewer_auth.viewers WHERE key = $1 RETURNING ${COLUMNS}`),
  }
}

function rowsOf(connection: PostgresConnection, sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
  return refusalAsUpstreamError(
    connection.use((client) => client.rows(sql, values)),
    OWNER_NEEDED,
  )
}
