import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../errors.ts'

/** Longer than in the app, because no viewer waits for a command. */
const LOCK_TIMEOUT_MS = 15_000

/**
 * Opens the file of sessions for the work of one command; the login app may be running. Does not update the file to the
 * columns of this version.
 * @param missing the result for a file that does not exist.
 * @throws ConfigError if the file cannot be used.
 */
export function withSessionFile<T>(file: string, missing: T, work: (database: DatabaseSync) => T): T {
  if (!existsSync(file)) return missing
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS })
    return work(database)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`SESSION_STORE_URL: the session file ${file} cannot be used (${reason}).`, { cause })
  } finally {
    database?.close()
  }
}
