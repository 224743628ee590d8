import { randomInt } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { wholeNumber } from '../../settings/fields.ts'
import { openRotatedFile } from './log-files.ts'

/** With the newest file, 250 MB. A sign-in has a line of about 300 bytes. */
const MOST_BYTES = 50_000_000
const MOST_FILES = 5
/** The size is read after each fiftieth of the limit, because other copies of the app may append too. */
const CHECKS = 50
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Longer than the fields before the time of a line. */
const HEAD_BYTES = 1_000
/** The names that `rename` gives, and no name of another program. */
const RENAMED = /^\.\d{4}-\d\d-\d\dT\d{6}\.\d{3}-\d{6}$/

/** After how many days people whose accounts ended, and lines of logs, are deleted. */
export const RetentionEnvironment = z.object({ RETENTION_DAYS: wholeNumber(1, 3_650).optional() })

export interface LimitedFileOptions {
  readonly mostBytes?: number
  /** Called when a full file cannot be renamed, or an old one cannot be deleted. */
  readonly onFault: (error: unknown) => void
}

/**
 * Opens a file for lines. A full file is renamed, and the four newest of the renamed files are kept. A write never fails
 * because of a renaming: until the new file is open, for a second at most, lines go into the renamed one. Several processes
 * may write one file.
 * @returns a function for `createLineOutput`.
 * @throws NodeJS.ErrnoException if the file cannot be opened.
 */
export function openLimitedFile(
  path: string,
  { mostBytes = MOST_BYTES, onFault }: LimitedFileOptions,
): (bytes: number) => number {
  const descriptor = openRotatedFile(path)
  let uncheckedBytes = mostBytes
  return (bytes) => {
    uncheckedBytes += bytes
    if (uncheckedBytes * CHECKS < mostBytes) return descriptor()
    uncheckedBytes = 0
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      if (size >= mostBytes) rename(path)
    } catch (error) {
      if (!isMissing(error)) onFault(error)
    }
    return descriptor()
  }
}

/**
 * Renames the file, and deletes the oldest of the renamed ones. The name is new each time, so that one call replaces no
 * file: with names such as `.1`, two processes at once, or one that ends between two steps, would lose a file.
 */
function rename(path: string): void {
  const time = new Date().toISOString().replace(/[:Z]/g, '')
  renameSync(path, `${path}.${time}-${randomInt(100_000, 1_000_000)}`)
  for (const old of renamedFiles(path).slice(0, 1 - MOST_FILES)) rmSync(old, { force: true })
}

/** Returns the renamed files, the oldest first. */
function renamedFiles(path: string): string[] {
  const name = basename(path)
  const renamed = readdirSync(dirname(path)).filter(
    (other) => other.startsWith(name) && RENAMED.test(other.slice(name.length)),
  )
  return renamed.toSorted().map((other) => join(dirname(path), other))
}

/**
 * Deletes the lines of a file for lines before they are older than so many days, and looks each hour: a part of the time
 * after its first line, the file is renamed. Several processes may do so.
 * @param days undefined for no end.
 * @param onFault called when a file cannot be renamed or deleted.
 */
export function limitAge(path: string, days: number | undefined, onFault: (error: unknown) => void): void {
  if (days === undefined) return
  const partMs = (days * DAY_MS) / MOST_FILES
  function check(): void {
    try {
      if (firstLineMs(path) < Date.now() - partMs) rename(path)
      for (const old of renamedFiles(path)) {
        if (statSync(old).mtimeMs < Date.now() - partMs * (MOST_FILES - 1)) rmSync(old, { force: true })
      }
    } catch (error) {
      if (!isMissing(error)) onFault(error)
    }
  }
  check()
  setInterval(check, HOUR_MS).unref()
}

/** Returns the time of the first line of a log. Infinity for a file without a line, and 0 for a line without a time. */
function firstLineMs(path: string): number {
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size === 0) return Number.POSITIVE_INFINITY
  const head = Buffer.alloc(HEAD_BYTES)
  const descriptor = openSync(path, 'r')
  readSync(descriptor, head)
  closeSync(descriptor)
  return Date.parse(/"time":"([^"]+)"/.exec(head.toString())?.[1] ?? '') || 0
}

/** True if another process has just renamed the file. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
