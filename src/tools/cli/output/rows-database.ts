import type { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../../../errors.ts'
import { openSqlite, sqliteCode } from '../../../server/sqlite-file.ts'

/**
 * Does the work with an empty database for the rows of one report. SQLite keeps a few rows in memory, and many in a
 * temporary file that only this user can read. The file has no name, so that nothing is left of it, not even after
 * `kill -9`.
 * @throws ConfigError if the disk is full, or has no folder for temporary files.
 */
export async function withTemporaryDatabase<T>(work: (database: DatabaseSync) => Promise<T>): Promise<T> {
  try {
    // Rows that may be lost need no commit.
    using database = openSqlite('', {
      timeoutMs: 0,
      pragmas: 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN',
    })
    return await work(database)
  } catch (error) {
    if (!sqliteCode(error)) throw error
    const fault = `A file for temporary data cannot be written (${(error as Error).message}).`
    throw new ConfigError(`${fault} Free space, or choose another folder with TMPDIR.`, { cause: error })
  }
}
