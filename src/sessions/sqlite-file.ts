import { existsSync, readFileSync, realpathSync, renameSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { ConfigError, UpstreamError } from '../errors.ts'
import { migrateFile, migrationsIn } from '../server/migrations.ts'
import {
  isDiskFull,
  openSqlite,
  SQLITE_BUSY,
  SQLITE_CORRUPT,
  SQLITE_NOTADB,
  sqliteCode,
} from '../server/sqlite-file.ts'

/** Each updates a file by one version. `number` orders the sessions of a viewer, since clocks can be set back. */
export const SESSION_MIGRATIONS = migrationsIn(new URL('migrations/', import.meta.url))
/** Enough for 50,000 sessions. With the 2 MB of SQLite's default, most sessions would be read from the file each time. */
const CACHE_KIB = 32_768
const OPENING_TIMEOUT_MS = 10_000
/** Enough for a write of another process. SQLite blocks this whole process meanwhile. */
const BUSY_TIMEOUT_MS = 50
const PAUSE_MS = 1_000

/** A file whose content the app can lose. `label` begins a sentence, `loss` ends one. `prepare` updates the tables. */
export interface DataFile {
  readonly label: string
  readonly loss: string
  prepare(database: DatabaseSync, label: string): void
}

export const SESSION_FILE: DataFile = {
  label: 'SESSION_STORE_URL: the session file',
  loss: 'viewers then sign in again',
  prepare: (database, label) => migrateFile(database, SESSION_MIGRATIONS, label),
}

/**
 * Opens a file. Creates the file and its folder if missing, and updates it to the version of this app.
 * Renames a damaged file, and creates a new one. On a full disk, keeps the content in memory. Waits up to ten seconds for
 * another process that locks the file. Later statements wait 50 ms.
 * @param file a path, or ":memory:".
 * @param warn called if the file was damaged, or the disk is full.
 * @throws ConfigError if the file cannot be opened, or belongs to another program.
 */
export function openDataFile(file: string, kind: DataFile, warn: (message: string) => void): DatabaseSync {
  try {
    return openDatabase(file, kind)
  } catch (error) {
    const { cause, message } = error as Error
    if (isDiskFull(cause)) {
      warn(`${message} Is the disk full? Until the next start, this copy keeps the content in memory.`)
      return openDatabase(':memory:', kind)
    }
    const code = sqliteCode(cause)
    if ((code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB) || isOfAnotherProgram(file)) throw error
    const path = realpathSync(file)
    const aside = `${path}.damaged-${Date.now()}`
    for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
    warn(`${kind.label} ${file} was damaged, and is now ${aside}: ${kind.loss}.`)
    return openDatabase(file, kind)
  }
}

/** True for a text, and for a database with an application id, such as that of viewers: the setting may be wrong. */
function isOfAnotherProgram(file: string): boolean {
  const start = readFileSync(file).subarray(0, 4096)
  const hasId = start.toString('latin1', 0, 6) === 'SQLite' && start.subarray(68, 72).some((byte) => byte !== 0)
  return hasId || !start.includes(0)
}

function openDatabase(file: string, { label, loss, prepare: updateTables }: DataFile): DatabaseSync {
  const pragmas = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KIB};`
  function prepare(database: DatabaseSync): void {
    const [check] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (check !== 'ok')
      throw Object.assign(new Error(`${check}`), { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_CORRUPT })
    updateTables(database, `${label} ${file}`)
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
  try {
    return openSqlite(file, { creates: true, timeoutMs: OPENING_TIMEOUT_MS, pragmas, prepare })
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(
      `${label} ${file} cannot be used (${reason}). Make its folder writable, or move the file away: ${loss}.`,
      { cause },
    )
  }
}

export type LockGuard = ReturnType<typeof createLockGuard>

/** Keeps requests from waiting for a file that another process locks. */
export function createLockGuard() {
  let isWritable = true
  let refuseUntilMs = 0
  return {
    /** False from a statement that could not write, for a lock or a full disk, until the next one that could. */
    isWritable: () => isWritable,
    /**
     * Runs a statement or transaction that writes.
     * @throws UpstreamError at once, for a second after a statement that found the file locked.
     */
    run<T>(work: () => T): T {
      if (performance.now() < refuseUntilMs) throw new UpstreamError('session-store', 'The session file is locked')
      try {
        const result = work()
        isWritable = true
        return result
      } catch (error) {
        if (sqliteCode(error) !== null) isWritable = false
        if (sqliteCode(error) !== SQLITE_BUSY) throw error
        refuseUntilMs = performance.now() + PAUSE_MS
        throw new UpstreamError('session-store', 'Another process locks the session file', { cause: error })
      }
    },
  }
}
