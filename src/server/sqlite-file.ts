import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../errors.ts'
import { createPrivateFile } from './private-file.ts'

export const SQLITE_BUSY = 5
const SQLITE_IOERR = 10
export const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
export const SQLITE_NOTADB = 26

export interface SqliteOptions {
  /** True to create the file and its folder if missing, for this user only. */
  readonly creates?: boolean
  readonly isReadOnly?: boolean
  /** How long a statement waits for another process. It blocks this whole process meanwhile. */
  readonly timeoutMs: number
  /** Such as `PRAGMA synchronous = FULL`. */
  readonly pragmas?: string
  /** Checks or updates the file before it counts as open. */
  readonly prepare?: (database: DatabaseSync) => void
}

/**
 * Opens a SQLite file. What is deleted is overwritten with zeros. A file that cannot be prepared is closed again.
 * @param file a path, `:memory:`, or empty for a temporary file without a name.
 * @throws the error of SQLite, of the file system, or of `prepare`.
 */
export function openSqlite(file: string, options: SqliteOptions): DatabaseSync {
  const { creates = false, isReadOnly = false, timeoutMs, pragmas = '', prepare } = options
  if (creates && file !== ':memory:') createPrivateFile(file)
  const database = new DatabaseSync(file, { timeout: timeoutMs, readOnly: isReadOnly })
  try {
    database.exec(`PRAGMA secure_delete = ON; ${pragmas}`)
    prepare?.(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Empties the write-ahead log, which still has what was deleted. Most of the work does not keep other programs from writing.
 * If another program reads the file all the time, the log is emptied when the last program closes the file.
 */
export function emptyWriteAheadLog(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint; PRAGMA wal_checkpoint(TRUNCATE)')
}

/**
 * Rewrites a file without what was deleted: SQLite leaves copies of rows that it moved to another page. Other programs cannot
 * write meanwhile.
 */
export function rewriteSqlite(file: string, timeoutMs: number): void {
  using database = openSqlite(file, { timeoutMs })
  database.exec('VACUUM')
  emptyWriteAheadLog(database)
}

/** Accepts an empty file, and a file with this id. @throws ConfigError with the fault for any other file. */
export function assertApplication(database: DatabaseSync, applicationId: number, fault: string): void {
  // One statement, because another process may be creating the file.
  const { isOther } =
    database
      .prepare(`SELECT application_id <> ${applicationId} AND (user_version <> 0 OR EXISTS (SELECT 1 FROM sqlite_schema))
                  AS isOther FROM pragma_application_id, pragma_user_version`)
      .get() ?? {}
  if (isOther === 1) throw new ConfigError(fault)
}

/** True for an error of a full disk, on which SQLite cannot open a file either. A broken disk gives the same error. */
export function isDiskFull(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE_FULL || code === SQLITE_IOERR
}

/** Returns the primary result code of SQLite; 0 for a closed file; null for other errors. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  if (error.code === 'ERR_INVALID_STATE') return 0
  // The upper bytes of an extended code are details.
  return error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error ? Number(error.errcode) & 0xff : null
}
