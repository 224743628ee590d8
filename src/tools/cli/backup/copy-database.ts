import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { backup } from 'node:sqlite'
import { ConfigError } from '../../../errors.ts'
import { openSqlite, SQLITE_BUSY, sqliteCode } from '../../../server/sqlite-file.ts'

const TIMEOUT_MS = 15_000
/** All pages in one step, so that a file that the app writes meanwhile does not start the copy again. */
const ALL_PAGES = 1_000_000_000

/**
 * Copies a SQLite file that may be in use, and checks the copy. Only this user can read it, from its first byte on.
 * @throws ConfigError if the source cannot be read, or the target exists; a copy that is not whole is removed.
 */
export async function copyDatabase(source: string, target: string): Promise<void> {
  if (!existsSync(source)) throw new ConfigError(`There is no file ${source}.`)
  try {
    closeSync(openSync(target, 'wx', 0o600))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError(`${target} cannot be created (${code}). Nothing was overwritten.`, { cause })
  }
  try {
    using database = openSqlite(source, { timeoutMs: TIMEOUT_MS, isReadOnly: true })
    await backup(database, target, { rate: ALL_PAGES })
    assertWhole(target)
  } catch (cause) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(target + suffix, { force: true })
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError(`${source} cannot be copied (${(cause as Error).message}).`, { cause })
  }
}

/** @throws ConfigError if the file is not a whole database of SQLite. */
export function assertWhole(file: string): void {
  let fault: unknown
  try {
    using database = openSqlite(file, { timeoutMs: TIMEOUT_MS })
    fault = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {})[0]
    if (fault === 'ok') return
  } catch (error) {
    fault = (error as Error).message
  }
  throw new ConfigError(`${file} is damaged (${fault}).`)
}

/**
 * Ends the write-ahead log of a file, which SQLite does only if no other program has the file open.
 * @throws ConfigError while the app or another program uses the file.
 */
export function assertUnused(file: string): void {
  const pragmas = 'PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; ROLLBACK'
  try {
    openSqlite(file, { timeoutMs: 1_000, pragmas }).close()
  } catch (cause) {
    // A damaged file may be replaced.
    if (sqliteCode(cause) !== SQLITE_BUSY) return
    throw new ConfigError(`A program uses ${file}. Stop the app and other commands first. Nothing was changed.`, {
      cause,
    })
  }
}
