import { z } from 'zod'
import { UpstreamError } from '../../../errors.ts'
import { VIEWER_COLUMNS, viewerReader } from '../../own-tables/viewer-tables.ts'
import { usernameKey } from '../../viewer-fields.ts'
import type { PostgresConnection } from '../connection.ts'
import type { PostgresTable } from '../table.ts'
import { rowsByKey } from './rows-by-key.ts'
import { assertViewersTable } from './schema.ts'

/** Selects the viewer with this key. For an unknown key, selects the next viewer or the first one, as a decoy. */
const VIEWER_OR_NEXT = `
  SELECT ${VIEWER_COLUMNS} FROM viewer_auth.viewers
  WHERE key = coalesce((SELECT key FROM viewer_auth.viewers WHERE key >= $1 ORDER BY key LIMIT 1),
                       (SELECT key FROM viewer_auth.viewers ORDER BY key LIMIT 1))`

const VIEWERS = `SELECT key, ${VIEWER_COLUMNS} FROM viewer_auth.viewers WHERE key = ANY($1)`

const texts = z.array(z.string())
const damaged = (table: string, { message }: Error) =>
  new UpstreamError('user-store', `The ${table} table has a damaged row: ${message}`)

/** Reads rows of the app's own tables. */
export const ownRows = { texts, damaged, readViewer: viewerReader(texts, z.record(z.string(), z.string()), damaged) }

/** The app's own table, created by `viewers migrate`. */
export function ownTable(connection: PostgresConnection): PostgresTable {
  const rowOf = rowsByKey((keys) => connection.use((client) => client.rows(VIEWERS, [keys])))
  return {
    check: () => assertViewersTable(connection),
    ping: (client) => client.rows('SELECT 1 FROM viewer_auth.viewers LIMIT 1'),
    async load(key) {
      const rows = await connection.use((client) => client.rows(VIEWER_OR_NEXT, [key]))
      if (rows.length === 0) return { viewer: null, decoyHash: null }
      const stored = ownRows.readViewer(rows[0])
      if (usernameKey(stored.viewer.username) !== key) return { viewer: null, decoyHash: stored.passwordHash }
      return { viewer: stored }
    },
    async find(key) {
      const row = await rowOf(key)
      return row === undefined ? null : ownRows.readViewer(row)
    },
    async replaceHash(key, oldHash, newHash) {
      const sql = 'UPDATE viewer_auth.viewers SET password_hash = $1 WHERE key = $2 AND password_hash = $3'
      await connection.use((client) => client.changedRows(sql, [newHash, key, oldHash]))
    },
  }
}
