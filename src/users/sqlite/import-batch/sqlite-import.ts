import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inTransaction } from '../../../server/sqlite-transaction.ts'
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
import { promised, queryViewers } from '../database-file.ts'
import { viewerLoader } from '../store.ts'

interface Statements {
  readonly load: (key: string) => StoredViewer | null
  readonly insert: StatementSync
  readonly update: StatementSync
}

/** Returns `importBatch` for an open file. */
export function sqliteImporter(database: DatabaseSync, file: string): EditableUserStore['importBatch'] {
  const statements: Statements = {
    load: viewerLoader(database, file),
    insert: database.prepare(
      `INSERT INTO viewers (key, username, password_hash, disabled, group_names, attributes)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    ),
    update: database.prepare('UPDATE viewers SET disabled = ?, group_names = ?, attributes = ? WHERE key = ?'),
  }
  return function importBatch(viewers, existing) {
    return promised(() =>
      queryViewers(file, () =>
        inTransaction(database, () => viewers.map((one) => importOne(statements, one, existing))),
      ),
    )
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
