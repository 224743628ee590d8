import { DatabaseSync } from 'node:sqlite'
import session, { type SessionData } from 'express-session'
import { pino } from 'pino'
import { usernameOf, VIEWERS } from './installation.ts'
import type { PlainDuties } from './plain-express.ts'
import type { ListedSession } from './session-list.ts'

/**
 * Does the duties of the login app, written plainly. Sessions in a file of `node:sqlite` are read and touched at each
 * request. Further duties are the row of the viewer, and a line of pino. A file of an earlier turn begins anew.
 * @param passwordHash of all viewers of the installation; empty if no viewer signs in.
 */
export function plainDuties(file: string, sessions: readonly ListedSession[], passwordHash = ''): PlainDuties {
  const database = new DatabaseSync(file)
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
     DROP TABLE IF EXISTS sessions; DROP TABLE IF EXISTS viewers;
     CREATE TABLE sessions (id TEXT PRIMARY KEY, data TEXT NOT NULL, used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
     CREATE TABLE viewers (username TEXT PRIMARY KEY, disabled INTEGER NOT NULL, group_names TEXT NOT NULL,
                           attributes TEXT NOT NULL, password_hash TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  )
  const select = database.prepare('SELECT data FROM sessions WHERE id = ?')
  const upsert = database.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?')
  const touch = database.prepare('UPDATE sessions SET used_at = ? WHERE id = ?')
  const selectViewer = database.prepare(
    'SELECT username, disabled, group_names, attributes FROM viewers WHERE username = ?',
  )
  const addViewer = database.prepare(
    `INSERT OR IGNORE INTO viewers VALUES (?, 0, '["staff"]', '{"department":"north"}', ?)`,
  )
  const selectHash = database.prepare('SELECT password_hash FROM viewers WHERE username = ?')
  database.exec('BEGIN')
  for (const { id, data } of sessions) {
    upsert.run(id, JSON.stringify(data), (Date.now() / 1000 - 3600) | 0)
    if (data.viewer !== undefined) addViewer.run(data.viewer.username, passwordHash)
  }
  for (let index = 0; passwordHash !== '' && index < VIEWERS; index++) addViewer.run(usernameOf(index), passwordHash)
  database.exec('COMMIT')

  class PlainStore extends session.Store {
    override get(id: string, callback: (error: unknown, data?: SessionData | null) => void): void {
      const row = select.get(id)
      callback(null, row === undefined ? null : (JSON.parse(String(row.data)) as SessionData))
    }
    override set(id: string, data: SessionData, callback?: (error?: unknown) => void): void {
      upsert.run(id, JSON.stringify(data), Math.floor(Date.now() / 1000))
      callback?.()
    }
    override destroy(id: string, callback?: (error?: unknown) => void): void {
      remove.run(id)
      callback?.()
    }
    override touch(id: string, _data: SessionData, callback?: () => void): void {
      touch.run(Math.floor(Date.now() / 1000), id)
      callback?.()
    }
  }
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime })
  return {
    store: new PlainStore(),
    findViewer(username) {
      const row = selectViewer.get(username)
      if (row === undefined || row.disabled !== 0) return null
      const groups = JSON.parse(String(row.group_names)) as string[]
      const attributes = JSON.parse(String(row.attributes)) as Record<string, string>
      const viewer = { username: String(row.username), groups, attributes }
      return viewer.groups.includes('staff') ? viewer : null
    },
    passwordHashOf: (username) => selectHash.get(username)?.password_hash?.toString() ?? null,
    logSignIn: (username) => log.info({ event: 'sign-in', outcome: 'returning', username }),
  }
}
