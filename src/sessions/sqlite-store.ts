import type { DatabaseSync } from 'node:sqlite'
import type { SessionData } from 'express-session'
import { z } from 'zod'
import type { OptionalStore } from '../server/monitoring/readiness.ts'
import { changedRow, inTransaction } from '../server/sqlite-transaction.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import { expressStore } from './express-store.ts'
import type { IdentityLogout } from './identity.ts'
import {
  endOfSession,
  isUseDue,
  parseSession,
  type SessionLimits,
  type SessionStore,
  storableSession,
} from './session-store.ts'
import { createLockGuard, type LockGuard, openDataFile, SESSION_FILE } from './sqlite-file.ts'

const PRUNE_EVERY_MS = 600_000
/** The health check writes a row at most this often, as each pass of a viewer runs the check too. */
const PROBE_EVERY_MS = 1_000
/** Uses within this time share one commit, which costs more than a return. A killed process loses these uses. */
const WRITE_USES_EVERY_MS = 100

const Row = z.object({ data: z.string(), signed_in_at: z.number(), used_at: z.number() }).optional()

/**
 * Opens a store of sessions in a file of `node:sqlite`. Sessions survive a restart, and ended sessions are deleted.
 * Checks the absolute and idle limits at every read, so that no cookie outlives them (OWASP ASVS 7.3.1, 7.3.2). While
 * another process locks the file, writes fail at once, and reads work.
 * @param file a path, or ":memory:".
 * @param warn called if the file was damaged and has been renamed, or the disk is full.
 * @throws ConfigError if the file cannot be opened or is another kind of database.
 */
export function openSqliteSessionStore(
  file: string,
  limits: SessionLimits,
  nowSeconds: () => number,
  warn: (message: string) => void = () => {},
): SessionStore & OptionalStore {
  const database = openDataFile(file, SESSION_FILE, warn)
  // Reads need no guard: the write-ahead log lets them pass while another process writes.
  const writes = createLockGuard()
  const select = database.prepare('SELECT data, signed_in_at, used_at FROM sessions WHERE id = ?')
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?')
  const probe = database.prepare(
    `INSERT OR REPLACE INTO sessions (id, username, data, signed_in_at, used_at) VALUES ('', '', '', 0, 0)`,
  )
  const prune = database.prepare('DELETE FROM sessions WHERE signed_in_at <= ? OR used_at <= ?')
  const insert = insertNewest(database, limits.mostPerViewer)
  const uses = createPendingUses(database, writes)
  let probedMs = Number.NEGATIVE_INFINITY
  const destroy = (id: string) => void writes.run(() => remove.run(id))
  function read(id: string): SessionData | null {
    const row = Row.parse(select.get(id))
    if (row === undefined) return null
    const now = nowSeconds()
    const usedAtSeconds = uses.secondsOf(id) ?? row.used_at
    const isOver = endOfSession({ signedInAtSeconds: row.signed_in_at, usedAtSeconds }, limits) <= now
    const data = isOver ? null : parseSession(row.data)
    // If this fails, the session stays ended, and a later read or pruning removes it.
    if (data === null) attempt(() => destroy(id))
    return data && { ...data, usedAtSeconds }
  }
  function write(id: string, data: SessionData): void {
    if (data.viewer !== undefined) writes.run(() => insert(id, data, Math.floor(nowSeconds())))
  }
  function use(id: string, data: SessionData): void {
    const now = Math.floor(nowSeconds())
    if (isUseDue(data, limits, now)) uses.add(id, now)
  }
  function pruneEnded(): void {
    const now = Math.floor(nowSeconds())
    // A session may live on by a use that waits to be written.
    uses.write()
    writes.run(() => prune.run(now - limits.lifetimeSeconds, now - limits.idleSeconds))
  }

  attempt(pruneEnded)
  const timer = setInterval(() => attempt(pruneEnded), PRUNE_EVERY_MS).unref()
  return {
    store: expressStore({ read, write, use, remove: destroy }),
    ...managementOf(database, writes),
    setting: 'SESSION_STORE_URL',
    isAvailable: writes.isWritable,
    async checkHealth() {
      await Promise.resolve(select.get(''))
      if (performance.now() - probedMs < PROBE_EVERY_MS) return
      probedMs = performance.now()
      // Only a row on the disk shows that there is room, and that a lock is over.
      attempt(() => writes.run(() => inTransaction(database, () => [probe.run(), remove.run('')])))
    },
    close() {
      clearInterval(timer)
      uses.write()
      if (database.isOpen) database.close()
    },
  }
}

/** Returns the part of the store for operators. */
function managementOf(database: DatabaseSync, writes: LockGuard) {
  const count = database.prepare('SELECT count(*) AS number FROM sessions')
  const ofViewer = database.prepare('DELETE FROM sessions WHERE username = ? AND issuer IS NULL')
  // Reads the values from JSON, as they were stored: a text with half a character is another one when it is bound.
  const isOfSubject = "issuer = ?1 ->> '$.issuer' AND subject = ?1 ->> '$.subject'"
  const ofSubject = database.prepare(`DELETE FROM sessions WHERE ${isOfSubject}`)
  const ofIssuerSession = database.prepare(
    `DELETE FROM sessions WHERE issuer = ?1 ->> '$.issuer' AND provider_session = ?1 ->> '$.providerSession'
       OR ${isOfSubject} AND provider_session IS NULL`,
  )
  return {
    async endIdentitySessions(logout: IdentityLogout) {
      const statement = logout.providerSession === null ? ofSubject : ofIssuerSession
      const { changes } = await Promise.resolve(writes.run(() => statement.run(JSON.stringify(logout))))
      return Number(changes)
    },
    count: () => Number(count.get()?.number),
    async endSessionsOf(username: string) {
      const { changes } = await Promise.resolve(writes.run(() => ofViewer.run(usernameKey(username))))
      return Number(changes)
    },
  }
}

/** Collects uses of sessions, and writes them together. */
function createPendingUses(database: DatabaseSync, writes: LockGuard) {
  const update = database.prepare('UPDATE sessions SET used_at = ? WHERE id = ?')
  const seconds = new Map<string, number>()
  let fault: unknown
  function write(): void {
    const due = [...seconds]
    seconds.clear()
    const updateAll = () => due.map(([id, usedAt]) => update.run(usedAt, id))
    const work = () => writes.run(() => inTransaction(database, updateAll))
    if (due.length > 0) fault = attempt(work)
  }
  return {
    /** Returns the UNIX time of a use that is not written yet. */
    secondsOf: (id: string) => seconds.get(id),
    /** @throws the error of the last write. The use is written all the same. */
    add(id: string, nowSeconds: number): void {
      if (seconds.size === 0) setTimeout(write, WRITE_USES_EVERY_MS)
      seconds.set(id, nowSeconds)
      if (fault) throw fault
    },
    write,
  }
}

/** The conditions for the sessions of one viewer. ?2 is the key of the user name, ?3 the text of a session. */
const OF_VIEWER = 'username = ?2 AND issuer IS NULL'
const OF_IDENTITY = "issuer = ?3 ->> '$.viewer.sso.issuer' AND subject = ?3 ->> '$.viewer.sso.subject'"

/** Returns a function that stores a session and deletes all but the newest sessions of its viewer. */
function insertNewest(database: DatabaseSync, mostPerViewer: number) {
  const ofUserStore = insertStatements(database, OF_VIEWER)
  const ofIdentity = insertStatements(database, OF_IDENTITY)
  return (id: string, data: SessionData, now: number) => {
    const { username = '', signedInAtSeconds = 0, identity } = data.viewer ?? {}
    const { insert, removeOlder } = identity === undefined ? ofUserStore : ofIdentity
    const key = usernameKey(username)
    const text = JSON.stringify(storableSession(data))
    const number = Number(changedRow(insert, id, key, text, signedInAtSeconds, now)?.number)
    // Two statements, because most viewers need only the first. The next sign-in repeats a second one that failed.
    if (number > mostPerViewer)
      attempt(() => removeOlder.run(mostPerViewer, key, ...(identity === undefined ? [] : [text])))
  }
}

function insertStatements(database: DatabaseSync, isOfViewer: string) {
  return {
    insert: database.prepare(
      `INSERT INTO sessions (id, username, data, signed_in_at, used_at, issuer, subject, provider_session, number)
       VALUES (?1, ?2, ?3, ?4, ?5, ?3 ->> '$.viewer.sso.issuer', ?3 ->> '$.viewer.sso.subject',
         ?3 ->> '$.viewer.sso.providerSession',
         (SELECT coalesce(max(number), 0) + 1 FROM sessions WHERE ${isOfViewer}))
       ON CONFLICT (id) DO UPDATE SET username = excluded.username, data = excluded.data, used_at = excluded.used_at,
         issuer = excluded.issuer, subject = excluded.subject, provider_session = excluded.provider_session
       RETURNING number`,
    ),
    removeOlder: database.prepare(
      `DELETE FROM sessions WHERE id IN (
         SELECT id FROM sessions WHERE ${isOfViewer} ORDER BY number DESC LIMIT -1 OFFSET ?1
       )`,
    ),
  }
}

/** Runs work, which a later call repeats if it fails. Returns the error. */
function attempt(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}
