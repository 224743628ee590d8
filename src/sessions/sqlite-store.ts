import { DatabaseSync } from 'node:sqlite'
import session, { type SessionData } from 'express-session'
import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { createPrivateFile } from '../server/private-file.ts'
import { inTransaction } from '../server/sqlite-transaction.ts'
import { type SessionLimits, type SessionStore, StoredSession, touchAfterSeconds } from './session-store.ts'

const SCHEMA_VERSION = 1
/**
 * Enough for 50,000 sessions. With the 2 MB of SQLite's default, most sessions would be read from the file each time.
 */
const CACHE_KIB = 32_768
const PRUNE_EVERY_MS = 600_000
/** `used_at` is written in batches; a write per request would double its cost. */
const WRITE_USED_AT_EVERY_MS = 5_000

const Row = z.object({ data: z.string(), signed_in_at: z.number(), used_at: z.number() })
/**
 * Opens a store of sessions in a file of `node:sqlite`. Sessions survive a restart, and ended sessions are deleted.
 * Checks the absolute and idle limits at every read, so that no cookie outlives them (OWASP ASVS 7.3.1, 7.3.2).
 * @param file a path, or ":memory:".
 * @param nowSeconds UNIX time in seconds.
 * @throws ConfigError if the file cannot be opened or is another kind of database.
 */
export function openSqliteSessionStore(file: string, limits: SessionLimits, nowSeconds: () => number): SessionStore {
  const database = openSessionDatabase(file)
  const select = database.prepare('SELECT data, signed_in_at, used_at FROM sessions WHERE id = ?')
  const upsert = database.prepare(
    `INSERT INTO sessions (id, username, data, signed_in_at, used_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET username = excluded.username, data = excluded.data, used_at = excluded.used_at`,
  )
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?')
  const prune = database.prepare('DELETE FROM sessions WHERE signed_in_at <= ? OR used_at <= ?')
  const uses = collectUses(database, touchAfterSeconds(limits))

  function read(id: string): SessionData | null {
    const selected = select.get(id)
    if (selected === undefined) return null
    const row = Row.parse(selected)
    const now = nowSeconds()
    const usedAt = Math.max(row.used_at, uses.lastOf(id))
    const isOver = row.signed_in_at <= now - limits.lifetimeSeconds || usedAt <= now - limits.idleSeconds
    const data = isOver ? null : readSession(row.data)
    if (data === null) remove.run(id)
    return data
  }
  function write(id: string, data: SessionData): void {
    if (data.viewer === undefined) return
    const now = Math.floor(nowSeconds())
    upsert.run(id, data.viewer.username, JSON.stringify(data), data.viewer.signedInAtSeconds, now)
  }
  function pruneEnded(): void {
    uses.write()
    const now = Math.floor(nowSeconds())
    prune.run(now - limits.lifetimeSeconds, now - limits.idleSeconds)
  }

  // express-session accepts only instances of its own Store class.
  class SqliteStore extends session.Store {
    override get(id: string, callback: Callback<SessionData | null>): void {
      answer(() => read(id), callback)
    }
    override set(id: string, data: SessionData, callback?: Callback<void>): void {
      answer(() => write(id, data), callback)
    }
    override destroy(id: string, callback?: Callback<void>): void {
      answer(() => void remove.run(id), callback)
    }
    override touch(id: string, _data: SessionData, callback?: () => void): void {
      answer(() => uses.add(id, Math.floor(nowSeconds())), callback)
    }
  }
  pruneEnded()
  const timers = [
    setInterval(() => answer(pruneEnded), PRUNE_EVERY_MS).unref(),
    setInterval(() => answer(uses.write), WRITE_USED_AT_EVERY_MS).unref(),
  ]
  return {
    store: new SqliteStore(),
    checkHealth: async () => void (await Promise.resolve(select.get(''))),
    close() {
      for (const timer of timers) clearInterval(timer)
      answer(uses.write)
      if (database.isOpen) database.close()
    },
  }
}

interface Uses {
  add(id: string, atSeconds: number): void
  /** Returns the last use that is not written yet; 0 if there is none. */
  lastOf(id: string): number
  write(): void
}

/** Collects the last uses for the next batch. A killed process loses the uses of the last few seconds. */
function collectUses(database: DatabaseSync, minAgeSeconds: number): Uses {
  const use = database.prepare('UPDATE sessions SET used_at = ? WHERE id = ? AND used_at <= ?')
  const unwritten = new Map<string, number>()
  return {
    add: (id, atSeconds) => void unwritten.set(id, atSeconds),
    lastOf: (id) => unwritten.get(id) ?? 0,
    write() {
      if (unwritten.size === 0) return
      inTransaction(database, () => {
        for (const [id, usedAt] of unwritten) use.run(usedAt, id, usedAt - minAgeSeconds)
      })
      unwritten.clear()
    },
  }
}

/** Parses a session. Null if this version cannot read it: the viewer signs in again. */
function readSession(json: string): SessionData | null {
  try {
    return StoredSession.parse(JSON.parse(json)) as unknown as SessionData
  } catch {
    return null
  }
}

type Callback<T> = (error: unknown, value?: T) => void

function answer<T>(work: () => T, callback?: Callback<T>): void {
  let value: T
  try {
    value = work()
  } catch (error) {
    callback?.(error)
    return
  }
  callback?.(null, value)
}

function openSessionDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    if (file !== ':memory:') createPrivateFile(file)
    database = new DatabaseSync(file)
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;
       PRAGMA cache_size = -${CACHE_KIB};`,
    )
    const { version } = z
      .object({ version: z.number() })
      .parse(database.prepare('SELECT user_version AS version FROM pragma_user_version').get())
    if (version > SCHEMA_VERSION) throw new ConfigError('it was written by a newer version of this app')
    database.exec(`
      CREATE TABLE IF NOT EXISTS sessions (
        id TEXT PRIMARY KEY, username TEXT NOT NULL, data TEXT NOT NULL,
        signed_in_at INTEGER NOT NULL, used_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS sessions_by_username ON sessions (username);
      PRAGMA user_version = ${SCHEMA_VERSION};
    `)
    return database
  } catch (cause) {
    database?.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(
      `SESSION_STORE_URL: the session file ${file} cannot be used (${reason}). ` +
        'Make its folder writable, or move the file away: viewers then sign in again.',
      { cause },
    )
  }
}
