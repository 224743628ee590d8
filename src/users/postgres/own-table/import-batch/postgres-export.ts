import type { EditableUserStore } from '../../../editable-user-store.ts'
import { readOwnRow } from '../own-table.ts'
import { listViewers, type RowsOf } from '../viewer-states.ts'

/** Returns `exportAll` for the table. */
export function postgresExporter(rowsOf: RowsOf): EditableUserStore['exportAll'] {
  return () => listViewers(rowsOf, readOwnRow)
}
