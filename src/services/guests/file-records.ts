import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { ConfigError, UpstreamError } from '../../errors.ts'
import { migrateFile, migrationsIn } from '../../server/migrations.ts'
import { assertApplication, emptyWriteAheadLog, openSqlite, sqliteCode } from '../../server/sqlite-file.ts'
import { inTransaction } from '../../server/sqlite-transaction.ts'
import {
  assertRecord,
  boundsOf,
  type GuestStore,
  MOST_PRUNED,
  orderedWrites,
  type RecordWrite,
} from './guest-records.ts'
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

const Row = z.object({ key: z.string(), text: z.string(), version: z.number(), endsAtSeconds: z.number().nullable() })
const State = z.object({ version: z.number() }).optional()
const Counted = z.object({ number: z.number() })

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
  const { select, page, counted, next, put, remove, removeEnded } = statementsOf(database)
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
  function writeAll(writes: readonly RecordWrite[]): number | null {
    const now = nowSeconds()
    return inTransaction(database, () => {
      for (const { kind, key, if: condition } of writes) {
        if (condition === undefined) continue
        const found = State.parse(select.get({ kind, key, now }))
        if ((found?.version ?? 'absent') !== condition) return null
      }
      const version = Counted.parse(next.all()[0]).number
      hasWritten = true
      for (const { kind, key, text, endsAtSeconds = null } of writes) {
        if (text === null) remove.run(kind, key)
        else put.run(kind, key, text, version, endsAtSeconds)
      }
      return version
    })
  }
  return {
    read: (kind, key) =>
      query(() => {
        assertRecord(kind, key)
        return Row.optional().parse(select.get({ kind, key, now: nowSeconds() })) ?? null
      }),
    list: (kind, { prefix = '', after, limit }) =>
      query(() => Row.array().parse(page.all({ kind, ...boundsOf(kind, prefix, after), limit, now: nowSeconds() }))),
    count: (kind, prefix = '') =>
      query(() => {
        const { from, before } = boundsOf(kind, prefix)
        return Counted.parse(counted.get({ kind, from, before, now: nowSeconds() })).number
      }),
    write: (writes) => query(() => writeAll(orderedWrites(writes))),
    checkHealth: () => query(() => void select.get({ kind: 'none', key: 'none', now: 0 })),
    prune: (kind = null) => query(() => Number(removeEnded.run({ now: nowSeconds(), kind }).changes)),
    isAvailable: () => isAvailable,
    async close() {
      if (!database.isOpen) return
      // A command may have deleted a person.
      if (isCommand && hasWritten) await query(() => emptyWriteAheadLog(database))
      database.close()
    },
  }
}

function statementsOf(database: DatabaseSync) {
  const columns = 'key, text, version, ends_at AS endsAtSeconds'
  const lives = '(ends_at IS NULL OR ends_at > :now)'
  const inPage = `kind = :kind AND key >= :from AND key < :before AND ${lives}`
  const select = database.prepare(`SELECT ${columns} FROM records WHERE kind = :kind AND key = :key AND ${lives}`)
  const page = database.prepare(
    `SELECT ${columns} FROM records WHERE ${inPage} AND key > :after ORDER BY key LIMIT :limit`,
  )
  const counted = database.prepare(`SELECT count(*) AS number FROM records WHERE ${inPage}`)
  const next = database.prepare('UPDATE last_version SET number = number + 1 RETURNING number')
  const put = database.prepare(
    `INSERT INTO records VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, key)
     DO UPDATE SET text = excluded.text, version = excluded.version, ends_at = excluded.ends_at`,
  )
  const remove = database.prepare('DELETE FROM records WHERE kind = ? AND key = ?')
  const removeEnded = database.prepare(
    `DELETE FROM records WHERE (kind, key) IN
       (SELECT kind, key FROM records WHERE ends_at <= :now AND (:kind IS NULL OR kind = :kind) LIMIT ${MOST_PRUNED})`,
  )
  return { select, page, counted, next, put, remove, removeEnded }
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
