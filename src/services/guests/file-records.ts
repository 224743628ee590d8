import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ConfigError, UpstreamError } from '../../errors.ts'
import { migrateFile, migrationsIn } from '../../server/migrations.ts'
import { assertApplication, emptyWriteAheadLog, openSqlite, sqliteCode } from '../../server/sqlite-file.ts'
import { inTransaction, statementRunner } from '../../server/sqlite-transaction.ts'
import { runAtOnce } from '../../users/own-tables/sql-work.ts'
import type { GuestStore } from './guest-records.ts'
import { ownRecords, type RecordTable } from './own-records.ts'
import type { OpenStoreDeps, RecordStoreKind } from './record-store-kind.ts'

/** "VwrG" in the header of the file. Other files of this app, and of other programs, are refused. */
const APPLICATION_ID = 0x56777247
/** Each updates a file by one version. */
const MIGRATIONS = migrationsIn(new URL('migrations/', import.meta.url))
const OPENING_TIMEOUT_MS = 10_000
/** Enough for a write of a command. While it waits, SQLite blocks this whole process. */
const APP_TIMEOUT_MS = 250
/** Longer than in the app, because no viewer waits for a command. */
const COMMAND_TIMEOUT_MS = 15_000

/** Records in a SQLite file of one machine. */
export const fileRecords: RecordStoreKind<{ readonly kind: 'sqlite'; readonly file: string }> = {
  kind: 'sqlite',
  urlForm: 'sqlite:FILE',
  isUrl: (url) => FILE_FORM.test(url),
  read: (url) => ({ ok: true, settings: { kind: 'sqlite', file: FILE_FORM.exec(url)?.[1] ?? '' } }),
  open: ({ file }, deps) => Promise.resolve(openFileRecords(file, deps)),
}
const FILE_FORM = /^sqlite:(?!\/\/|:)(.+)$/

/**
 * Opens the file. Creates it if missing, for this user only, and updates it to the version of this app.
 * @throws ConfigError when the file cannot be used, with what to do.
 */
export function openFileRecords(file: string, { nowSeconds, isCommand = false }: OpenStoreDeps): GuestStore {
  const path = resolve(file)
  const database = openDatabase(path, isCommand ? COMMAND_TIMEOUT_MS : APP_TIMEOUT_MS)
  let isAvailable = true
  let hasWritten = false

  /** Runs a synchronous query as a promise. */
  async function query<T>(work: () => T): Promise<T> {
    try {
      const result = await Promise.resolve(work())
      isAvailable = true
      return result
    } catch (error) {
      if (sqliteCode(error) === null) throw error
      isAvailable = false
      throw new UpstreamError('guest-store', `The guests file ${path} failed: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
  const execute = statementRunner(database)
  const table: RecordTable = {
    name: 'records',
    nextVersion: 'UPDATE last_version SET number = number + 1 RETURNING number',
    skipLocked: '',
    run: (work) => query(() => runAtOnce(work, execute)),
    change(work) {
      hasWritten = true
      return query(() => inTransaction(database, () => runAtOnce(work, execute)))
    },
  }
  return {
    ...ownRecords(table, nowSeconds),
    checkHealth: () => query(() => void execute('SELECT 1 FROM records LIMIT 1')),
    isAvailable: () => isAvailable,
    async close() {
      if (!database.isOpen) return
      // A command may have deleted a person.
      if (isCommand && hasWritten) await query(() => emptyWriteAheadLog(database))
      database.close()
    },
  }
}

function openDatabase(path: string, busyTimeoutMs: number): DatabaseSync {
  function prepare(database: DatabaseSync): void {
    const fault = `${path} is a database of another kind. Set GUESTS_STORE_URL to another file.`
    assertApplication(database, APPLICATION_ID, fault)
    // A power failure may not bring back a code that was used.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrateFile(database, MIGRATIONS, `The guests file ${path}`)
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  }
  try {
    return openSqlite(path, { creates: true, timeoutMs: OPENING_TIMEOUT_MS, prepare })
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    const what = 'Make its folder writable, or restore the file from a backup.'
    throw new ConfigError(`GUESTS_STORE_URL: the file ${path} cannot be used (${reason}). ${what}`, { cause })
  }
}
