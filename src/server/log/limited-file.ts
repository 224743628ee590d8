import { randomInt } from 'node:crypto'
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openRotatedFile } from './log-files.ts'

/** With the newest file, 250 MB. A sign-in has a line of about 300 bytes. */
const MOST_BYTES = 50_000_000
const MOST_FILES = 5
/** The size is read after each fiftieth of the limit, because other copies of the app may append too. */
const CHECKS = 50
/** The names that `rename` gives, and no name of another program. */
const RENAMED = /^\.\d{4}-\d\d-\d\dT\d{6}\.\d{3}-\d{6}$/

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
  const folder = dirname(path)
  const name = basename(path)
  const renamed = readdirSync(folder).filter(
    (other) => other.startsWith(name) && RENAMED.test(other.slice(name.length)),
  )
  for (const old of renamed.toSorted().slice(0, 1 - MOST_FILES)) rmSync(join(folder, old), { force: true })
}

/** True if another process has just renamed the file. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
