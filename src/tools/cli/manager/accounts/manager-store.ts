import { createHash, randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { ConfigError } from '../../../../errors.ts'
import { migrateFile, migrationsIn } from '../../../../server/migrations.ts'
import { assertApplication, emptyWriteAheadLog, openSqlite } from '../../../../server/sqlite-file.ts'
import { changedRow } from '../../../../server/sqlite-transaction.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import { invitationTextsIn } from './invitation-texts.ts'
import { mailsIn } from './mail-rows.ts'

/** "VwrM" in the header of the file. */
const APPLICATION_ID = 0x5677724d
const LOCK_TIMEOUT_MS = 5_000
const ID_BYTES = 32

const MIGRATIONS = migrationsIn(new URL('migrations/', import.meta.url))

/** Roles of managers, the one with the fewest rights last. */
export const ROLES = ['event-manager', 'help-desk', 'reader'] as const
export type Role = (typeof ROLES)[number]

/** A person who uses the page for managers. */
export interface Manager {
  readonly name: string
  readonly role: Role
  /** The entry points whose viewers and figures the manager sees. Null for all. */
  readonly entryPoints: readonly string[] | null
}

/** Names of entry points, in JSON. */
export const Names = z.string().transform((json) => z.array(z.string()).parse(JSON.parse(json)))
const Bytes = z.instanceof(Uint8Array).nullable()
const ManagerRow = z.object({
  key: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  entryPoints: Names.nullable(),
  passwordHash: z.string(),
  /** Sealed. Null before the first sign-in. */
  stepSecret: Bytes,
  lastPeriod: z.number(),
})
const SessionRow = z.object({
  /** False between the password and the second step. */
  isComplete: z.number().transform(Boolean),
  startedAtSeconds: z.number(),
  usedAtSeconds: z.number(),
  formToken: z.string(),
  /** The sealed secret that the manager is setting up. */
  newSecret: Bytes,
  /** JSON, for the next page. */
  notice: z.string().nullable(),
  /** The entry point whose event all pages show. Null for all. */
  event: z.string().nullable(),
})
const MANAGER = `SELECT managers.key, name, role, entry_points AS entryPoints, password_hash AS passwordHash,
  managers.step_secret AS stepSecret, last_period AS lastPeriod`
const SESSION = `${MANAGER}, is_complete AS isComplete, started_at AS startedAtSeconds, used_at AS usedAtSeconds,
  form_token AS formToken, sessions.step_secret AS newSecret, notice, event
  FROM sessions JOIN managers USING (key) WHERE id = ?`

/** A manager as the sign-in needs it. */
export type StoredManager = Readonly<z.output<typeof ManagerRow>>

export interface ManagerSession extends Readonly<z.output<typeof SessionRow>> {
  readonly manager: StoredManager
}

export type ManagerStore = ReturnType<typeof openManagerStore>

/**
 * Opens the file of managers and their sessions. Creates the file, for this user only, if it is missing.
 * @throws ConfigError if the file cannot be used.
 */
export function openManagerStore(file: string) {
  const database = openFile(resolve(file))
  return {
    ...managersIn(database),
    ...sessionsIn(database),
    mails: mailsIn(database),
    invitationTexts: invitationTextsIn(database),
    /** For the rows of features. */
    database,
    close: () => database.close(),
  }
}

function openFile(path: string): DatabaseSync {
  const faultOf = (reason: string) => `MANAGER_STORE_FILE: ${path} cannot be used (${reason}). Set another file.`
  function prepare(database: DatabaseSync): void {
    assertApplication(database, APPLICATION_ID, faultOf('it is a database of another program'))
    database.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON')
    migrateFile(database, MIGRATIONS, path)
  }
  try {
    return openSqlite(path, { creates: true, timeoutMs: LOCK_TIMEOUT_MS, prepare })
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError(faultOf(cause instanceof Error ? cause.message : String(cause)), { cause })
  }
}

function managersIn(database: DatabaseSync) {
  const byKey = database.prepare(`${MANAGER} FROM managers WHERE key = ?`)
  const all = database.prepare(`${MANAGER} FROM managers ORDER BY key`)
  const insert = database.prepare(
    'INSERT INTO managers (key, name, role, entry_points, password_hash) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key',
  )
  const remove = database.prepare('DELETE FROM managers WHERE key = ? RETURNING key')
  const reset = database.prepare(
    'UPDATE managers SET password_hash = ?, step_secret = NULL, last_period = -1 WHERE key = ? RETURNING key',
  )
  const endSessions = database.prepare('DELETE FROM sessions WHERE key = ?')
  const setPassword = database.prepare('UPDATE managers SET password_hash = ? WHERE key = ?')
  const setStep = database.prepare(
    'UPDATE managers SET step_secret = ?, last_period = ? WHERE key = ? AND step_secret IS NULL',
  )
  const usePeriod = database.prepare(
    'UPDATE managers SET last_period = ? WHERE key = ? AND last_period < ? RETURNING key',
  )
  return {
    find(name: string): StoredManager | null {
      const row = byKey.get(usernameKey(name))
      return row === undefined ? null : ManagerRow.parse(row)
    },
    list: (): StoredManager[] => ManagerRow.array().parse(all.all()),
    /** Returns false if there is a manager of this name. */
    add({ name, role, entryPoints }: Manager, passwordHash: string): boolean {
      const points = entryPoints && JSON.stringify(entryPoints)
      return changedRow(insert, usernameKey(name), name, role, points, passwordHash) !== undefined
    },
    /** Ends the sessions too. Returns false if there is no such manager. */
    remove(name: string): boolean {
      const isRemoved = changedRow(remove, usernameKey(name)) !== undefined
      if (isRemoved) emptyWriteAheadLog(database)
      return isRemoved
    },
    /** Sets a new password, and forgets the second step: the next sign-in sets it up anew. Ends the sessions. */
    reset(name: string, passwordHash: string): boolean {
      const isKnown = changedRow(reset, passwordHash, usernameKey(name)) !== undefined
      endSessions.run(usernameKey(name))
      return isKnown
    },
    /** Sets a new password, and ends all sessions. */
    setPassword(name: string, passwordHash: string): void {
      setPassword.run(passwordHash, usernameKey(name))
      endSessions.run(usernameKey(name))
    },
    /** Stores the second step of a manager. Returns false if the manager has one. */
    setStep: (key: string, sealed: Uint8Array, period: number): boolean =>
      Number(setStep.run(sealed, period, key).changes) === 1,
    /** Marks a code as used. Returns false if it was used before. */
    usePeriod: (key: string, period: number): boolean => changedRow(usePeriod, period, key, period) !== undefined,
  }
}

function sessionsIn(database: DatabaseSync) {
  const byId = database.prepare(SESSION)
  const insert = database.prepare(
    'INSERT INTO sessions (id, key, is_complete, started_at, used_at, form_token) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?')
  const use = database.prepare('UPDATE sessions SET used_at = ? WHERE id = ?')
  const setSecret = database.prepare('UPDATE sessions SET step_secret = ? WHERE id = ?')
  const setNotice = database.prepare('UPDATE sessions SET notice = ? WHERE id = ?')
  const setEvent = database.prepare('UPDATE sessions SET event = ? WHERE id = ?')
  const removeOld = database.prepare('DELETE FROM sessions WHERE started_at < ? OR used_at < ?')
  return {
    session(id: string): ManagerSession | null {
      const row = byId.get(digestOf(id))
      if (row === undefined) return null
      return { ...SessionRow.parse(row), manager: ManagerRow.parse(row) }
    },
    /** Starts a session under a new id, and returns the id. */
    start(key: string, isComplete: boolean, nowSeconds: number): string {
      const id = newId()
      insert.run(digestOf(id), key, isComplete ? 1 : 0, Math.floor(nowSeconds), Math.floor(nowSeconds), newId())
      return id
    },
    end: (id: string): void => void remove.run(digestOf(id)),
    use: (id: string, nowSeconds: number): void => void use.run(Math.floor(nowSeconds), digestOf(id)),
    setNewSecret: (id: string, sealed: Uint8Array): void => void setSecret.run(sealed, digestOf(id)),
    setNotice: (id: string, notice: string | null): void => void setNotice.run(notice, digestOf(id)),
    setEvent: (id: string, entryPoint: string | null): void => void setEvent.run(entryPoint, digestOf(id)),
    /** Deletes sessions that are over. UNIX times. */
    removeOld: (startedBefore: number, usedBefore: number): void =>
      void removeOld.run(Math.floor(startedBefore), Math.floor(usedBefore)),
  }
}

function newId(): string {
  return randomBytes(ID_BYTES).toString('base64url')
}

/** The file has digests of ids and tokens: a copy of the file opens no session and no link. */
export function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
