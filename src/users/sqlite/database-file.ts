import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { ConfigError, UpstreamError } from '../../errors.ts'
import { fileVersion, migrateFile, migrationsIn } from '../../server/migrations.ts'
import {
  assertApplication,
  isDiskFull,
  openSqlite,
  SQLITE_BUSY,
  SQLITE_CORRUPT,
  SQLITE_NOTADB,
  sqliteCode,
} from '../../server/sqlite-file.ts'
import { inTransaction } from '../../server/sqlite-transaction.ts'
import type { Warn } from '../user-store.ts'

/** "VwrA" in the header of the file. Databases of other programs, and the sessions of this app, are refused. */
const APPLICATION_ID = 0x56777241

/** Each updates a file by one version. The version of a file is the number of migrations it has had. */
const MIGRATIONS = migrationsIn(new URL('migrations/', import.meta.url))

const OPENING_TIMEOUT_MS = 10_000
const RETRY_MS = 20
const SQLITE_READONLY = 8
const SQLITE_CANTOPEN = 14

/**
 * Opens the file of viewers. Creates the file and its folder if missing, and updates it to the version of this app.
 * Several processes may do so at once.
 *
 * @param busyTimeoutMs how long a later write waits for another process. It blocks this whole process.
 * @param openingTimeoutMs the same for opening.
 * @throws ConfigError when the file cannot be used, with what to do.
 */
export function openViewersFile(
  file: string,
  busyTimeoutMs: number,
  openingTimeoutMs: number = OPENING_TIMEOUT_MS,
): DatabaseSync {
  const path = resolve(file)
  function prepare(database: DatabaseSync): void {
    const fault = `${path} is a database of another program. Set USER_STORE_URL to another file.`
    assertApplication(database, APPLICATION_ID, fault)
    useWriteAheadLog(database, openingTimeoutMs)
    migrateFile(database, MIGRATIONS, `The viewer database ${path}`)
    // Only a transaction shows if the file is writable.
    inTransaction(database, () => {})
    // Finds a truncated file now, and not at the first sign-in.
    database.prepare('SELECT * FROM viewers LIMIT 1').get()
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  }
  try {
    return openSqlite(path, { creates: true, timeoutMs: openingTimeoutMs, prepare })
  } catch (error) {
    if (error instanceof ConfigError) throw error
    if (isFileSystemError(error)) throw new ConfigError(cannotWrite(path, error.code ?? 'unknown'), { cause: error })
    if (sqliteCode(error) === null) throw error
    throw new ConfigError(openingFault(path, error), { cause: error })
  }
}

/**
 * Opens the file for the app. On a full disk, after a start, the file can only be read as it is: viewers sign in, until a
 * command changes the file. Then no viewer signs in before the next start: one may have been disabled.
 * @throws ConfigError as openViewersFile().
 */
export function openForApp(file: string, busyTimeoutMs: number, warn: Warn): ViewersFile {
  try {
    return viewersIn(file, openViewersFile(file, busyTimeoutMs))
  } catch (error) {
    const path = resolve(file)
    const changedMs = () => statSync(path, { throwIfNoEntry: false })?.mtimeMs
    const isUnchangedSince = (ms: number) => changedMs() === ms && !hasUnreadChanges(path)
    const mtimeMs = changedMs()
    if (!isDiskFull((error as Error).cause) || mtimeMs === undefined || !isUnchangedSince(mtimeMs)) throw error
    const database = new DatabaseSync(new URL('?immutable=1', pathToFileURL(path)), { readOnly: true })
    if (fileVersion(database, MIGRATIONS, path) < MIGRATIONS.length) throw error
    warn(`${(error as Error).message} Is the disk full? The file is only read. Make room, then restart the app.`)
    return viewersIn(file, database, () => isUnchangedSince(mtimeMs))
  }
}

/** True if the write-ahead log has changes, which a file that is only read does not show. */
function hasUnreadChanges(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** An open file of viewers. Its functions throw an UpstreamError for every error of SQLite, and for a closed file. */
export type ViewersFile = ReturnType<typeof viewersIn>

/** @param file the path, for messages. @param isCurrent false if the file has changes that cannot be read. */
export function viewersIn(file: string, database: DatabaseSync, isCurrent = () => true) {
  function query<T>(work: () => T): T {
    if (!isCurrent()) throw new UpstreamError('user-store', `${file} has changed on a full disk. Restart the app.`)
    try {
      return work()
    } catch (error) {
      if (sqliteCode(error) === null) throw error
      const fault = `The viewer database ${file} failed: ${(error as Error).message}`
      throw new UpstreamError('user-store', fault, { cause: error })
    }
  }
  const ask = <T>(work: () => T): Promise<T> => Promise.try(query, work)
  return {
    file,
    database,
    query,
    /** Runs a query as a promise. */
    ask,
  }
}

/**
 * Turns on the write-ahead log, so that readers do not wait for writers. Retries, since SQLite ignores the busy timeout
 * for this switch.
 */
function useWriteAheadLog(database: DatabaseSync, timeoutMs: number): void {
  const lastTryMs = performance.now() + timeoutMs
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;')
      return
    } catch (error) {
      if (sqliteCode(error) !== SQLITE_BUSY || performance.now() > lastTryMs) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}

/** True for an error of the file system. */
function isFileSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

function openingFault(path: string, error: unknown): string {
  switch (sqliteCode(error)) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return `${path} is damaged or not a database. Restore it from a backup, or move it away to start with an empty one.`
    case SQLITE_BUSY:
      return `Another program locks the viewer database ${path}. Stop that program, then try again.`
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return cannotWrite(path, 'read-only')
    default:
      return `The viewer database ${path} cannot be opened: ${(error as Error).message}.`
  }
}

function cannotWrite(path: string, reason: string): string {
  return (
    `The viewer database ${path} cannot be written (${reason}). Give the user of this program write access to the ` +
    'file and its folder, or set USER_STORE_URL to another file.'
  )
}
