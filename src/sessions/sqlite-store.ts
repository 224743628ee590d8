import type { DatabaseSync } from 'node:sqlite'
import session, { type SessionData } from 'express-session'
import { z } from 'zod'
import type { OptionalStore } from '../server/monitoring/optional-store.ts'
import { changedRow, inTransaction } from '../server/sqlite-transaction.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import {
  type SessionLimits,
  type SessionStore,
  StoredSession,
  storableSession,
  touchAfterSeconds,
} from './session-store.ts'
import { createLockGuard, type LockGuard, openSessionFile } from './sqlite-file.ts'

const PRUNE_EVERY_MS = 600_000

/** Unavailable while another process locks the file. */
export interface SqliteSessions extends SessionStore, OptionalStore {}

const Numbered = z.object({ number: z.number() })
const Row = z.object({ data: z.string(), signed_in_at: z.number(), used_at: z.number() }).optional()

/**
 * Opens a store of sessions in a file of `node:sqlite`. Sessions survive a restart, and ended sessions are deleted.
 * Checks the absolute and idle limits at every read, so that no cookie outlives them (OWASP ASVS 7.3.1, 7.3.2). While
 * another process locks the file, writes fail at once, and reads work.
 * @param file a path, or ":memory:".
 * @param nowSeconds UNIX time in seconds.
 * @throws ConfigError if the file cannot be opened or is another kind of database.
 */
export function openSqliteSessionStore(file: string, limits: SessionLimits, nowSeconds: () => number): SqliteSessions {
  const database = openSessionFile(file)
  // Reads need no guard: the write-ahead log lets them pass while another process writes.
  const writes = createLockGuard()
  const select = database.prepare('SELECT data, signed_in_at, used_at FROM sessions WHERE id = ?')
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?')
  const prune = database.prepare('DELETE FROM sessions WHERE signed_in_at <= ? OR used_at <= ?')
  const insert = insertNewest(database, limits.mostPerViewer)
  const newUse = database.prepare('UPDATE sessions SET used_at = ? WHERE id = ?')
  const rowOf = (id: string) => Row.parse(select.get(id))
  const destroy = (id: string) => void writes.run(() => remove.run(id))
  function read(id: string): SessionData | null {
    const row = rowOf(id)
    if (row === undefined) return null
    const now = nowSeconds()
    const isOver = row.signed_in_at <= now - limits.lifetimeSeconds || row.used_at <= now - limits.idleSeconds
    const data = isOver ? null : readSession(row.data)
    // If this fails, the session stays ended, and a later read or pruning removes it.
    if (data === null) tryTo(() => destroy(id))
    return data
  }
  function write(id: string, data: SessionData): void {
    if (data.viewer !== undefined) writes.run(() => insert(id, data, Math.floor(nowSeconds())))
  }
  function use(id: string): void {
    const now = Math.floor(nowSeconds())
    const usedAt = rowOf(id)?.used_at ?? now
    if (usedAt <= now - touchAfterSeconds(limits)) writes.run(() => newUse.run(now, id))
  }
  function pruneEnded(): void {
    const now = Math.floor(nowSeconds())
    writes.run(() => prune.run(now - limits.lifetimeSeconds, now - limits.idleSeconds))
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
      answer(() => destroy(id), callback)
    }
    override touch(id: string, _data: SessionData, callback?: () => void): void {
      answer(() => use(id), callback)
    }
  }
  tryTo(pruneEnded)
  const timer = setInterval(() => tryTo(pruneEnded), PRUNE_EVERY_MS).unref()
  return {
    store: new SqliteStore(),
    ...managementOf(database, writes),
    async checkHealth() {
      await Promise.resolve(select.get(''))
      // Finds out when a lock is over.
      if (writes.isLocked()) tryTo(() => writes.run(() => inTransaction(database, () => {})))
    },
    close() {
      clearInterval(timer)
      if (database.isOpen) database.close()
    },
  }
}

/** Returns the part of the store for operators: availability, number of sessions, end of a viewer's sessions. */
function managementOf(
  database: DatabaseSync,
  writes: LockGuard,
): OptionalStore & Required<Pick<SessionStore, 'count' | 'endSessionsOf' | 'endProviderSessions'>> {
  const count = database.prepare('SELECT count(*) AS number FROM sessions')
  const ofViewer = database.prepare('DELETE FROM sessions WHERE username = ? AND issuer IS NULL')
  const ofSubject = database.prepare('DELETE FROM sessions WHERE issuer = ? AND subject = ?')
  const ofProviderSession = database.prepare(
    `DELETE FROM sessions WHERE issuer = ?1 AND provider_session = ?2
       OR issuer = ?1 AND subject = ?3 AND provider_session IS NULL`,
  )
  return {
    setting: 'SESSION_STORE_URL',
    isAvailable: () => !writes.isLocked(),
    count: () => Numbered.parse(count.get()).number,
    async endSessionsOf(username) {
      const { changes } = await Promise.resolve(writes.run(() => ofViewer.run(usernameKey(username))))
      return Number(changes)
    },
    async endProviderSessions({ issuer, subject, providerSession }) {
      const remove = () =>
        providerSession === null
          ? ofSubject.run(issuer, subject)
          : ofProviderSession.run(issuer, providerSession, subject)
      return Number((await Promise.resolve(writes.run(remove))).changes)
    },
  }
}

/** Returns a function that stores a session and deletes all but the newest sessions of its viewer. */
function insertNewest(database: DatabaseSync, mostPerViewer: number) {
  const ofUserStore = insertStatements(database, 'username = ?2 AND issuer IS NULL', 'username = ? AND issuer IS NULL')
  const ofProvider = insertStatements(database, 'issuer = ?6 AND subject = ?7', 'issuer = ? AND subject = ?')
  return (id: string, data: SessionData, now: number) => {
    const { username = '', signedInAtSeconds = 0, sso } = data.viewer ?? {}
    const { insert, removeOlder } = sso === undefined ? ofUserStore : ofProvider
    const { issuer = null, subject = null, providerSession = null } = sso ?? {}
    const key = usernameKey(username)
    const text = JSON.stringify(storableSession(data))
    const row = changedRow(insert, id, key, text, signedInAtSeconds, now, issuer, subject, providerSession)
    const { number } = Numbered.parse(row)
    const viewer = sso === undefined ? [key] : [issuer, subject]
    // Two statements, because most viewers need only the first. The next sign-in repeats a second one that failed.
    if (number > mostPerViewer) tryTo(() => removeOlder.run(...viewer, mostPerViewer))
  }
}

/** @param isOfInserted and isOfViewer the condition for the sessions of one viewer, with the parameters of each statement. */
function insertStatements(database: DatabaseSync, isOfInserted: string, isOfViewer: string) {
  return {
    insert: database.prepare(
      `INSERT INTO sessions (id, username, data, signed_in_at, used_at, issuer, subject, provider_session, number)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
         (SELECT coalesce(max(number), 0) + 1 FROM sessions WHERE ${isOfInserted}))
       ON CONFLICT (id) DO UPDATE SET username = excluded.username, data = excluded.data, used_at = excluded.used_at,
         issuer = excluded.issuer, subject = excluded.subject, provider_session = excluded.provider_session
       RETURNING number`,
    ),
    removeOlder: database.prepare(
      `DELETE FROM sessions WHERE id IN (
         SELECT id FROM sessions WHERE ${isOfViewer} ORDER BY number DESC LIMIT -1 OFFSET ?
       )`,
    ),
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

/** Runs work that is repeated later if it fails. */
function tryTo(work: () => void): void {
  answer(work)
}

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
