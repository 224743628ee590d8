import type { DatabaseSync } from 'node:sqlite'
import type { EditableUserStore } from '../../editable-user-store.ts'
import { listViewers, readViewerRow } from '../viewer-row.ts'

/** Returns `exportAll` for an open file. The viewers are those of one moment. */
export function sqliteExporter(database: DatabaseSync, file: string): EditableUserStore['exportAll'] {
  return () => listViewers(database, file, readViewerRow)
}
