import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { fileVersion } from '../server/migrations.ts'
import { emptyWriteAheadLog, openSqlite } from '../server/sqlite-file.ts'
import { inTransaction } from '../server/sqlite-transaction.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import { type ShownSession, StoredSession } from './session-store.ts'
import { SESSION_MIGRATIONS } from './sqlite-file.ts'

/** Longer than in the app, because no viewer waits for a command. */
const LOCK_TIMEOUT_MS = 15_000
const Rows = z.array(z.object({ data: z.string(), usedAtSeconds: z.number() }))

/** Ends the sessions of all viewers, and returns their number. @throws ConfigError if the file cannot be used. */
export function endAllSessions(file: string): number {
  return withSessionFile(file, 0, (database) => Number(database.prepare('DELETE FROM sessions').run().changes))
}

/** Reads the sessions of a user name, also ones that are over. @throws as `endAllSessions` does. */
export function readSessions(file: string, username: string): ShownSession[] {
  return withSessionFile(file, [], (database) => {
    const select = 'SELECT data, used_at AS usedAtSeconds FROM sessions WHERE username = ?'
    const rows = Rows.parse(database.prepare(select).all(usernameKey(username)))
    return rows.map(({ data, usedAtSeconds }) => {
      const { signedInAtSeconds, identity = null } = StoredSession.parse(JSON.parse(data)).viewer
      return { provider: identity, signedInAtSeconds, usedAtSeconds }
    })
  })
}

/**
 * Ends the sessions of user names, either with or without an identity. Reads the text of each session: the file may not
 * have the columns of this version yet. @throws as `endAllSessions` does.
 */
export function endSessions(file: string, usernames: string | readonly string[], haveIdentity: boolean): number {
  return withSessionFile(file, 0, (database) => {
    const keys = new Set([usernames].flat().map(usernameKey))
    const names = database.prepare('SELECT DISTINCT username FROM sessions').all()
    const matching = names.map((row) => String(row.username)).filter((name) => keys.has(usernameKey(name)))
    const remove = database.prepare(
      "DELETE FROM sessions WHERE username = ? AND (json_extract(data, '$.viewer.sso') IS NOT NULL) = ?",
    )
    const end = (sum: number, name: string) => sum + Number(remove.run(name, Number(haveIdentity)).changes)
    const ended = inTransaction(database, () => matching.reduce(end, 0))
    if (ended > 0) emptyWriteAheadLog(database)
    return ended
  })
}

/**
 * Opens the file for the work of one command; the login app may be running. Does not update the file to the columns of
 * this version.
 * @param missing the result for a file that does not exist.
 */
export function withSessionFile<T>(file: string, missing: T, work: (database: DatabaseSync) => T): T {
  if (!existsSync(file)) return missing
  try {
    using database = openSqlite(file, { timeoutMs: LOCK_TIMEOUT_MS })
    fileVersion(database, SESSION_MIGRATIONS, 'it')
    return work(database)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`SESSION_STORE_URL: the session file ${file} cannot be used (${reason}).`, { cause })
  }
}
