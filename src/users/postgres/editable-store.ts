import { z } from 'zod'
import { ConfigError, UpstreamError } from '../../errors.ts'
import type { Change, EditableUserStore, ListedViewer, Migration } from '../editable-user-store.ts'
import { knownPasswords } from '../passwords/known-hashes.ts'
import { faultInNewPassword } from '../passwords/new-password.ts'
import { exists, listed, nobody } from '../viewer-changes.ts'
import { canonicalViewer, faultInUsername, faultInViewer, usernameKey } from '../viewer-fields.ts'
import { connectPostgres, type PostgresConnection } from './connection.ts'
import { settingFault, unrefused } from './fault.ts'
import { viewerBringer } from './import-batch.ts'
import { COLUMNS, readOwnRow } from './own-table.ts'
import { assertViewersTable, migrateViewers } from './schema.ts'
import type { PostgresSettings } from './settings.ts'
import { createPostgresStore, type PostgresStoreOptions } from './store.ts'

/** A command can wait for another one, an import's batch for instance, to finish writing. */
const COMMAND_TIMEOUT_MS = 60_000
const LIST_ROWS = 1_000

const KeyedRow = z.object({ key: z.string() })

/**
 * Opens the table of this app to change it, beside running apps and other commands.
 * @throws ConfigError when the settings are wrong, the table is missing, or POSTGRES_QUERY names the customer's own.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function openEditablePostgresStore(
  settings: PostgresSettings,
  options: PostgresStoreOptions = {},
): Promise<EditableUserStore> {
  const connection = await connectForCommand(settings, options)
  return await closingOnFailure(connection, async () => {
    await assertViewersTable(connection)
    const bring = viewerBringer(connection)
    return {
      ...createPostgresStore(connection, options),
      ...viewerChanges(connection, options),
      list: () => listViewers(connection),
      bring: (viewers, existing) => unrefused(bring(viewers, existing)),
    }
  })
}

/**
 * Makes the table of this app, or brings it to the version of this app.
 * @throws ConfigError when the settings are wrong, or the role may not.
 * @throws UpstreamError when the server cannot be reached.
 */
export async function migratePostgres(settings: PostgresSettings): Promise<Migration> {
  const connection = await connectForCommand(settings, {})
  try {
    return await unrefused(migrateViewers(connection))
  } finally {
    await connection.close()
  }
}

/** With a first question, so that wrong settings are told as such. */
async function connectForCommand(
  settings: PostgresSettings,
  options: PostgresStoreOptions,
): Promise<PostgresConnection> {
  if (settings.query !== null) {
    throw new ConfigError(
      'POSTGRES_QUERY names a table that is looked after elsewhere: its viewers are changed there, not by this program.',
    )
  }
  const connection = connectPostgres(settings, { ...options, timeoutMs: COMMAND_TIMEOUT_MS })
  return await closingOnFailure(connection, async () => {
    try {
      await connection.use((ask) => ask.rows('SELECT 1'))
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
  { passwords = knownPasswords }: PostgresStoreOptions,
): Pick<EditableUserStore, 'add' | 'show' | 'setPassword' | 'setDisabled' | 'remove'> {
  async function changed(username: string, sql: string, values: readonly unknown[] = []): Promise<Change> {
    // Nobody can have such a name, and one with NUL is no text for PostgreSQL.
    if (faultInUsername(username) !== null) return nobody(username)
    const [row] = await ask(connection, sql, [usernameKey(username), ...values])
    const stored = readOwnRow(row)
    return stored ? { ok: true, viewer: listed(stored) } : nobody(username)
  }
  const show = (username: string) => changed(username, `SELECT ${COLUMNS} FROM viewer_auth.viewers WHERE key = $1`)
  const update = (column: string) => `UPDATE viewer_auth.viewers SET ${column} = $2 WHERE key = $1 RETURNING ${COLUMNS}`

  return {
    show,
    async add(viewer, password) {
      const fault = faultInViewer(viewer) ?? (await faultInNewPassword(password, [viewer.username]))
      if (fault !== null) return { ok: false, fault }
      const { username, groups, attributes } = canonicalViewer(viewer)
      const there = await show(username)
      if (there.ok) return exists(there.viewer)
      const hash = await passwords.hash(password)
      const sql = `INSERT INTO viewer_auth.viewers (key, username, password_hash, group_names, attributes)
                   VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key) DO NOTHING RETURNING key`
      const values = [usernameKey(username), username, hash, groups, JSON.stringify(attributes)]
      const added = await ask(connection, sql, values)
      // Another process may have added the name while the password was hashed.
      if (added.length === 0) return exists({ username, groups, attributes })
      return { ok: true, viewer: { username, groups, attributes, disabled: false } }
    },
    async setPassword(username, password) {
      const fault = await faultInNewPassword(password, [username])
      if (fault !== null) return { ok: false, fault }
      return await changed(username, update('password_hash'), [await passwords.hash(password)])
    },
    setDisabled: (username, disabled) => changed(username, update('disabled'), [disabled]),
    remove: (username) => changed(username, `DELETE FROM viewer_auth.viewers WHERE key = $1 RETURNING ${COLUMNS}`),
  }
}

/** In pages, so that neither this program nor the server holds a million rows. */
async function* listViewers(connection: PostgresConnection): AsyncGenerator<ListedViewer> {
  const sql = `SELECT key, ${COLUMNS} FROM viewer_auth.viewers WHERE key > $1 ORDER BY key LIMIT ${LIST_ROWS}`
  let after = ''
  for (;;) {
    const rows = await ask(connection, sql, [after])
    for (const row of rows) {
      const stored = readOwnRow(row)
      if (stored) yield listed(stored)
    }
    if (rows.length < LIST_ROWS) return
    after = KeyedRow.parse(rows.at(-1)).key
  }
}

function ask(connection: PostgresConnection, sql: string, values: readonly unknown[]): Promise<readonly unknown[]> {
  return unrefused(connection.use((asker) => asker.rows(sql, values)))
}
