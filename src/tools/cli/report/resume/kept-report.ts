import { createHash, randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
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

interface Opened {
  readonly folder: string
  readonly database: DatabaseSync
  /** Null without a kept page. */
  readonly state: KeptState | null
}

/** Changes with the state and with the tables of the rows. */
const FORM = 5
const ROWS = 'rows.db'

/**
 * Does the work with a report whose rows are kept page by page, in a database in a hidden folder beside the file. Without
 * a kept page, a cut report leaves nothing.
 * @param isResumed true to continue a cut report. Begins a new one if there is neither a cut report nor the file.
 * @returns null if there is the file, but no cut report.
 * @throws ConfigError for a cut report of another question, and as openFileSink() does.
 */
export async function withKeptReport<T>(
  path: string,
  asked: Asked,
  isResumed: boolean,
  work: (report: KeptReport) => Promise<T>,
): Promise<T | null> {
  const target = await writableTarget(path)
  const older = await orWriteFault(path, () => Promise.resolve(keptFolders(target)))
  const found = isResumed ? openOldest(older, path, asked) : null
  if (isResumed && found === null && existsSync(target)) return null
  const opened = found ?? (await orWriteFault(path, () => Promise.resolve(create(target))))
  const { database, folder, state } = opened
  let isKept = state !== null
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (!isKept) process.once('exit', remove)
  try {
    return await work({
      database,
      question: state === null ? asked.question : withPeriodOf(state, asked.question),
      start: state,
      keep(kept) {
        saveState(database, { ...(state ?? identityOf(asked)), ...kept })
        database.exec('BEGIN')
        if (!isKept) for (const one of older) removeUnlessInUse(one)
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

/** Returns the path of a folder for a report. Its name begins as those of the same file. */
function folderFor(target: string, end: string): string {
  return besideTarget(target, `${createHash('sha256').update(basename(target)).digest('hex').slice(0, 8)}.${end}`)
}

/** Returns the folders of cut or running reports for this file. */
function keptFolders(target: string): string[] {
  const begin = basename(folderFor(target, ''))
  const names = readdirSync(dirname(target)).filter((name) => name.startsWith(begin) && name.endsWith('.resume'))
  return names.map((name) => join(dirname(target), name))
}

function create(target: string): Opened {
  const folder = folderFor(target, `${randomBytes(4).toString('hex')}.resume`)
  createPrivateFile(join(folder, ROWS))
  const database = openDatabase(folder)
  database.exec(`CREATE TABLE state (json TEXT); CREATE TABLE text (chunk BLOB); PRAGMA user_version = ${FORM}`)
  return { folder, database, state: null }
}

/** Opens the database of a folder, and locks it. With its write-ahead log, a commit need not wait for the disk. */
function openDatabase(folder: string): DatabaseSync {
  const pragmas = `PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 32768; PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE`
  return openSqlite(join(folder, ROWS), { timeoutMs: 0, pragmas })
}

/** Replaces the state, and completes the transaction. */
function saveState(database: DatabaseSync, state: KeptState): void {
  database.exec('DELETE FROM state')
  database.prepare('INSERT INTO state VALUES (?)').run(JSON.stringify(state))
  database.exec('COMMIT')
}

/** Opens the cut report. @throws ConfigError if it cannot be continued. */
function openOldest(folders: readonly string[], path: string, asked: Asked): Opened | null {
  for (const folder of folders) {
    const { database, state } = openFolder(folder, path)
    if (state === null) {
      database.close()
      continue
    }
    const others = differences(state, asked)
    if (others.length === 0) return { folder, database, state }
    database.close()
    throw new ConfigError(
      `The interrupted report in ${path} has another question (${others.join(', ')}). Use the options and settings of its first command, or begin anew without --resume.`,
    )
  }
  return null
}

/**
 * @throws ConfigError for a link, a folder of another user, who could read the report or choose its beginning, a damaged
 *   database, and while another command has it open.
 */
function openFolder(folder: string, path: string): Omit<Opened, 'folder'> {
  if (!isPrivate(folder)) {
    throw new ConfigError(`${folder} is not a folder of yours alone. Begin anew without --resume.`)
  }
  let database: DatabaseSync | null = null
  try {
    database = openDatabase(folder)
    const version = database.prepare('PRAGMA user_version').get()?.user_version
    if (version !== 0 && version !== FORM) throw new RangeError('Unknown form')
    const row = version === 0 ? undefined : database.prepare('SELECT json FROM state').get()
    return { database, state: row === undefined ? null : KeptState.parse(JSON.parse(String(row.json))) }
  } catch (cause) {
    database?.close()
    if (sqliteCode(cause) === SQLITE_BUSY) throw new ConfigError(`Another command writes the report in ${path}.`)
    throw new ConfigError(`${folder} is damaged, or of another release. Begin anew without --resume.`, { cause })
  }
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0
}

/** Removes a cut report that a new one replaces, unless its command still runs. */
function removeUnlessInUse(folder: string): void {
  try {
    if (isPrivate(folder)) openDatabase(folder).close()
  } catch (error) {
    if (sqliteCode(error) === SQLITE_BUSY) return
  }
  rmSync(folder, { recursive: true, force: true })
}
