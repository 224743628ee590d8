import type { DatabaseSync, StatementSync } from 'node:sqlite'
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

/** The numbers of this many texts are in memory. The numbers of further texts are looked up in the table. */
const MOST_CACHED = 250_000

/**
 * Returns a function that gives each different text a number from 1 on, which takes less room and time than the text.
 * The table has the columns `id` and `text`. It may already have rows.
 */
export function numberedTexts(database: DatabaseSync, table: string): (text: string) => number {
  database.exec(`CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY, text TEXT)`)
  const insert = database.prepare(`INSERT INTO ${table} (text) VALUES (?)`)
  const numbers = new Map<string, number>()
  for (const { id, text } of database.prepare(`SELECT id, text FROM ${table} LIMIT ?`).iterate(MOST_CACHED)) {
    numbers.set(String(text), Number(id))
  }
  let find: StatementSync | null = null
  /** Creates the index at the first call. Until the cache is full, a text that is not in it is new. */
  function findNumber(text: string): number | undefined {
    if (find === null) database.exec(`CREATE INDEX IF NOT EXISTS ${table}_by_text ON ${table} (text)`)
    find ??= database.prepare(`SELECT id FROM ${table} WHERE text = ?`)
    return find.get(text)?.id as number | undefined
  }
  return (text) => {
    const isFull = numbers.size === MOST_CACHED
    const known = numbers.get(text) ?? (isFull ? findNumber(text) : undefined)
    if (known !== undefined) return known
    const number = Number(insert.run(text).lastInsertRowid)
    if (!isFull) numbers.set(text, number)
    return number
  }
}
