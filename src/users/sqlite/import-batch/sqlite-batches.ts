import type { StatementSync } from 'node:sqlite'
import type { EditableUserStore } from '../../editable-user-store.ts'
import {
  type Existing,
  type ImportedViewer,
  type ImportOutcome,
  mayChange,
  newViewer,
  outcomeForKnown,
} from '../../import-batch/import-rules.ts'
import type { StoredViewer } from '../../passwords/verify-sign-in.ts'
import { usernameKey } from '../../viewer-fields.ts'
import type { ViewersFile } from '../database-file.ts'
import { viewerLoader } from '../store.ts'
import { listViewers, readViewerRow } from '../viewer-row.ts'

interface Statements {
  readonly load: (key: string) => StoredViewer | null
  readonly insert: StatementSync
  readonly update: StatementSync
}

/** Returns the imports and exports of an open file. An export has the viewers of one moment. */
export function sqliteBatches(viewers: ViewersFile): Pick<EditableUserStore, 'importBatch' | 'exportAll'> {
  const { database, change } = viewers
  const statements: Statements = {
    load: viewerLoader(viewers),
    insert: database.prepare(
      `INSERT INTO viewers (key, username, password_hash, disabled, group_names, attributes)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    ),
    update: database.prepare('UPDATE viewers SET disabled = ?, group_names = ?, attributes = ? WHERE key = ?'),
  }
  return {
    importBatch: (batch, existing) => change(() => batch.map((one) => importOne(statements, one, existing))),
    exportAll: () => listViewers(viewers, readViewerRow),
  }
}

function importOne({ load, insert, update }: Statements, imported: ImportedViewer, existing: Existing): ImportOutcome {
  const key = usernameKey(imported.username)
  if (imported.passwordHash !== null) {
    const { passwordHash, disabled = false } = imported
    const { username, groups, attributes } = newViewer(imported)
    const { changes } = insert.run(
      key,
      username,
      passwordHash,
      disabled ? 1 : 0,
      JSON.stringify(groups),
      JSON.stringify(attributes),
    )
    if (changes === 1) return 'added'
  }
  if (!mayChange(imported, existing)) return 'unchanged'
  const result = outcomeForKnown(imported, load(key), existing)
  if (result.outcome !== 'updated') return result.outcome
  const { groups, attributes } = result.viewer
  update.run(result.disabled ? 1 : 0, JSON.stringify(groups), JSON.stringify(attributes), key)
  return 'updated'
}
