import { emptyWriteAheadLog } from '../../server/sqlite-file.ts'
import { ownInvitations } from '../account/own-password-links.ts'
import type { EditableStoreOptions, EditableUserStore } from '../editable-user-store.ts'
import { ownBatches } from '../import-batch/own-batches.ts'
import { ownPages } from '../manager/own-pages.ts'
import { ownViewers } from '../own-tables/own-viewers.ts'
import { readViewerState } from '../own-tables/viewer-tables.ts'
import { openViewersFile, viewersIn } from './database-file.ts'
import { batchDialect } from './import-batch/batch-dialect.ts'
import { pageDialect } from './manager/page-dialect.ts'
import { createSqliteStore, type SqliteStoreOptions } from './store.ts'
import { tablesIn } from './tables.ts'

/** A command can wait until another command has written, such as a large batch. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens the file to change its viewers. The app and other commands may use the file at the same time.
 * @throws ConfigError when the file cannot be used, with what to do.
 */
export function openEditableSqliteStore(
  file: string,
  options: SqliteStoreOptions & EditableStoreOptions = {},
): EditableUserStore {
  const viewers = viewersIn(file, openViewersFile(file, BUSY_TIMEOUT_MS))
  const { database, ask } = viewers
  const tables = tablesIn(viewers)
  const changes = ownViewers(tables, options)
  return {
    ...createSqliteStore(viewers, options),
    ...ownInvitations(tables),
    ...changes,
    async remove(username) {
      const removed = await changes.remove(username)
      if (removed.ok) await ask(() => emptyWriteAheadLog(database))
      return removed
    },
    list: () => tables.list((row) => readViewerState(tables, row)),
    ...ownBatches(tables, batchDialect),
    ...ownPages(tables, pageDialect(database)),
  }
}
