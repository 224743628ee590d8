import { createHash } from 'node:crypto'
import { existsSync, lstatSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../../../../errors.ts'
import { createPrivateFile } from '../../../../server/private-file.ts'
import { openSqlite, SQLITE_BUSY, sqliteCode } from '../../../../server/sqlite-file.ts'
import type { Question } from '../../../video-service/analytics/report-question.ts'
import { besideTarget, openFileSink, orWriteFault, type ReportSink, writableTarget } from '../../terminal/sink.ts'
import { type Asked, differences, identityOf, KeptState, withPeriodOf } from './same-question.ts'

/** The number of rows so far, and the page after them. */
export type Kept = Pick<KeptState, 'rows' | 'next' | 'odd'>

/** A report in a file that can be continued after it was cut. */
export interface KeptReport {
  /**
   * Holds the rows: as text in chunks in the table `text`, or in tables of the report. The rows of a page are one
   * transaction, so that no half page is kept.
   */
  readonly database: DatabaseSync
  /** A continued report has the period of its first command. */
  readonly question: Question
  /** Null for a new report. */
  readonly start: Kept | null
  /** Keeps all rows so far. From now on, they survive the end of the program. */
  keep(kept: Kept): void
  /** Writes the file in a single go, and removes the kept rows. */
  finish(write: (sink: ReportSink) => Promise<void>): Promise<void>
}

/** Changes with the state and with the tables of the rows. */
const FORM = 7
const ROWS = 'rows.db'

/**
 * Does the work with a report whose rows are kept page by page, in a database in a hidden folder beside the file. Without
 * a kept page, a cut report leaves nothing. A new report replaces the kept rows of another one with its first page.
 * @param isResumed true to continue a cut report. Begins a new one if there is neither a cut report nor the file.
 * @returns null if there is the file, but no cut report.
 * @throws ConfigError for a cut report of another question, while another command writes it, and as openFileSink() does.
 */
export async function withKeptReport<T>(
  path: string,
  asked: Asked,
  isResumed: boolean,
  work: (report: KeptReport) => Promise<T>,
): Promise<T | null> {
  const folder = folderFor(await writableTarget(path))
  const { database, state } = await orWriteFault(path, () => Promise.resolve(openFolder(folder, path, isResumed)))
  const start = isResumed ? state : null
  let isKept = state !== null
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (!isKept) process.once('exit', remove)
  try {
    if (start !== null) assertSame(start, asked, path)
    else if (isResumed && existsSync(path)) return null
    else createTables(database)
    return await work({
      database,
      question: start === null ? asked.question : withPeriodOf(start, asked.question),
      start,
      keep(kept) {
        saveState(database, { ...(start ?? identityOf(asked)), ...kept })
        database.exec('BEGIN')
        isKept = true
        process.off('exit', remove)
      },
      async finish(write) {
        await writeWhole(path, write)
        isKept = false
      },
    })
  } catch (error) {
    if (!sqliteCode(error)) throw error
    const fault = `The rows of ${path} cannot be kept (${(error as Error).message}).`
    throw new ConfigError(`${fault} Free space beside it, and in the folder for temporary files.`, { cause: error })
  } finally {
    database.close()
    if (!isKept) remove()
    process.off('exit', remove)
  }
}

async function writeWhole(path: string, write: (sink: ReportSink) => Promise<void>): Promise<void> {
  await using sink = await openFileSink(path)
  await write(sink)
  await sink.finish()
}

/** Returns the path of the folder for a report. The names of two files may begin in the same way. */
function folderFor(target: string): string {
  return besideTarget(target, `${createHash('sha256').update(basename(target)).digest('hex').slice(0, 8)}.resume`)
}

/**
 * Opens the database of a folder, or creates both. A new report replaces a folder that cannot be used.
 * @returns also the state; null without a kept page.
 * @throws ConfigError while another command has the database open. To continue a report, also for a damaged database, a
 *   link, and a folder of another user, who could read the report or choose its beginning.
 */
function openFolder(folder: string, path: string, isResumed: boolean) {
  let database: DatabaseSync | null = null
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) {
      if (!isPrivate(folder)) throw new RangeError('Not a folder of this user alone')
      database = openDatabase(folder)
      return { database, state: readState(database) }
    }
  } catch (cause) {
    database?.close()
    if (sqliteCode(cause) === SQLITE_BUSY) throw new ConfigError(`Another command writes the report in ${path}.`)
    if (isResumed) {
      const fault = `${folder} is damaged, of another release, or not yours alone. Begin anew without --resume.`
      throw new ConfigError(fault, { cause })
    }
    rmSync(folder, { recursive: true, force: true })
  }
  createPrivateFile(join(folder, ROWS))
  return { database: openDatabase(folder), state: null }
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0
}

/** Opens the database of a folder, and locks it. With its write-ahead log, a commit need not wait for the disk. */
function openDatabase(folder: string): DatabaseSync {
  const pragmas = `PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 32768; PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE`
  return openSqlite(join(folder, ROWS), { timeoutMs: 0, pragmas })
}

/** Drops all tables of an earlier report, and creates empty ones. The caller may add its own. */
function createTables(database: DatabaseSync): void {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  for (const { name } of tables) database.exec(`DROP TABLE ${name}`)
  database.exec(`CREATE TABLE state (json TEXT); CREATE TABLE text (chunk BLOB); PRAGMA user_version = ${FORM}`)
}

function readState(database: DatabaseSync): KeptState | null {
  const version = database.prepare('PRAGMA user_version').get()?.user_version
  if (version === 0) return null
  if (version !== FORM) throw new RangeError('Unknown form')
  return KeptState.parse(JSON.parse(String(database.prepare('SELECT json FROM state').get()?.json)))
}

/** Replaces the state, and completes the transaction. */
function saveState(database: DatabaseSync, state: KeptState): void {
  database.exec('DELETE FROM state')
  database.prepare('INSERT INTO state VALUES (?)').run(JSON.stringify(state))
  database.exec('COMMIT')
}

/** @throws ConfigError that names what differs from the question of a cut report. */
function assertSame(state: KeptState, asked: Asked, path: string): void {
  const others = differences(state, asked)
  if (others.length === 0) return
  throw new ConfigError(
    `The interrupted report in ${path} has another question (${others.join(', ')}). Use the options and settings of its first command, or begin anew without --resume.`,
  )
}
