import type { EditableUserStore } from '../../../editable-user-store.ts'
import { COLUMNS, readOwnRow } from '../own-table.ts'
import { eachRow, type RowsOf } from '../viewer-states.ts'

/** Returns `exportAll` for the table. */
export function postgresExporter(rowsOf: RowsOf): EditableUserStore['exportAll'] {
  return () => eachRow(rowsOf, `SELECT key, ${COLUMNS} FROM viewer_auth.viewers`, readOwnRow)
}
