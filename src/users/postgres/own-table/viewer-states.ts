import { z } from 'zod'
import type { ViewerState } from '../../user-store.ts'
import { toViewerState } from '../../viewer-changes.ts'
import { faultInUsername, usernameKey } from '../../viewer-fields.ts'
import { COLUMNS, readOwnRow } from './own-table.ts'

/** Runs a statement, and returns its rows. */
export type RowsOf = (sql: string, values: readonly unknown[]) => Promise<readonly unknown[]>

const LIST_ROWS = 1_000
/** Selects the states of viewers. */
export const STATES = `
  SELECT viewers.key, ${COLUMNS}, expires_at::float8 AS expires_at, is_sent
  FROM viewer_auth.viewers LEFT JOIN viewer_auth.password_links AS link
    ON link.key = viewers.key AND link.purpose = 'invitation'`

const StateRow = z.object({ key: z.string(), expires_at: z.number().nullable(), is_sent: z.boolean().nullable() })

/** Returns the state of a viewer in the app's own table; null if unknown. */
export async function inspectViewer(rowsOf: RowsOf, username: string): Promise<ViewerState | null> {
  // No viewer can have such a name, and PostgreSQL refuses a text with NUL.
  if (faultInUsername(username) !== null) return null
  const [row] = await rowsOf(`${STATES} WHERE viewers.key = $1`, [usernameKey(username)])
  return readViewerState(row)
}

/** Lists all viewers, sorted by name. Reads page by page, because the table may be larger than the memory. */
export async function* listViewers<T>(rowsOf: RowsOf, read: (row: unknown) => T | null): AsyncGenerator<T> {
  const sql = `${STATES} WHERE viewers.key > $1 ORDER BY viewers.key LIMIT ${LIST_ROWS}`
  let after = ''
  for (;;) {
    const rows = await rowsOf(sql, [after])
    for (const row of rows) {
      const value = read(row)
      if (value !== null) yield value
    }
    if (rows.length < LIST_ROWS) return
    after = StateRow.parse(rows.at(-1)).key
  }
}

export function readViewerState(row: unknown): ViewerState | null {
  const stored = readOwnRow(row)
  if (stored === null) return null
  const { expires_at, is_sent } = StateRow.parse(row)
  return toViewerState(stored, expires_at === null ? null : { expiresAtSeconds: expires_at, isSent: is_sent === true })
}
