import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import type { StoredViewer } from '../passwords/verify-sign-in.ts'
import { usernameKey } from '../viewer-fields.ts'
import type { PostgresConnection } from './connection.ts'
import { assertViewersTable } from './schema.ts'
import type { PostgresTable } from './table.ts'

export const COLUMNS = 'username, password_hash, disabled, group_names, attributes'

const OwnRow = z.object({
  username: z.string(),
  password_hash: z.string(),
  disabled: z.boolean(),
  group_names: z.array(z.string()),
  attributes: z.record(z.string(), z.string()),
})

/** The viewer of a key, or else the next one, or else the first one: whose hash stands in for that of nobody. */
const VIEWER_OR_NEXT = `
  SELECT ${COLUMNS} FROM viewer_auth.viewers
  WHERE key = coalesce((SELECT key FROM viewer_auth.viewers WHERE key >= $1 ORDER BY key LIMIT 1),
                       (SELECT key FROM viewer_auth.viewers ORDER BY key LIMIT 1))`

/** The table of this app, made by `viewers migrate`. */
export function ownTable(connection: PostgresConnection): PostgresTable {
  return {
    check: () => assertViewersTable(connection),
    ping: (ask) => ask.rows('SELECT 1 FROM viewer_auth.viewers LIMIT 1'),
    async load(key) {
      const rows = await connection.use((ask) => ask.rows(VIEWER_OR_NEXT, [key]))
      const stored = readOwnRow(rows[0])
      if (stored === null) return { viewer: null, standIn: null }
      if (usernameKey(stored.viewer.username) !== key) return { viewer: null, standIn: stored.passwordHash }
      return { viewer: stored }
    },
    async replaceHash(key, oldHash, newHash) {
      const sql = 'UPDATE viewer_auth.viewers SET password_hash = $1 WHERE key = $2 AND password_hash = $3'
      await connection.use((ask) => ask.changed(sql, [newHash, key, oldHash]))
    },
  }
}

/**
 * @returns null where there is no row.
 * @throws UpstreamError for a row that this app did not write.
 */
export function readOwnRow(row: unknown): StoredViewer | null {
  if (row === undefined) return null
  const parsed = OwnRow.safeParse(row)
  if (!parsed.success) {
    throw new UpstreamError('user-store', `A row of the table of viewers is damaged: ${parsed.error.message}`)
  }
  const { username, password_hash, disabled, group_names, attributes } = parsed.data
  return { viewer: { username, groups: group_names, attributes }, passwordHash: password_hash, disabled }
}
