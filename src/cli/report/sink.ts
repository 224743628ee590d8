import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ConfigError } from '../../errors.ts'
import type { CommandIo } from '../terminal/io.ts'

/** Where a report goes, in order. */
export interface ReportSink {
  write(text: string): Promise<void>
  /** Puts the whole report in its place. */
  finish(): Promise<void>
  /** Leaves nothing behind, unless it is finished. */
  close(): Promise<void>
}

const WHY_UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: ': its folder is not there',
  EACCES: ': the user who runs this may not write there',
  EROFS: ': the file system is read-only',
  ENOSPC: ': the disk is full',
  ENAMETOOLONG: ': its name is too long',
}
/** Of the name of a file, in the name of the one beside it: no file system takes more than 255 bytes. */
const MOST_NAME_LETTERS = 40

export function standardOutput(stdout: CommandIo['stdout'], signal: AbortSignal): ReportSink {
  return {
    async write(text) {
      if (!stdout.write(text)) await once(stdout, 'drain', { signal })
    },
    finish: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/**
 * A file that is there whole or not at all: written beside its place, for this user alone since it names viewers, and
 * renamed when it is finished. One that was there before stays until then; of a link, what it leads to. A program that
 * ends at once, as at a second Ctrl-C, leaves nothing either.
 * @throws ConfigError when it cannot be written, and for a folder, device or pipe, whose place a file would take.
 */
export async function openFileSink(path: string): Promise<ReportSink> {
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
      throw new ConfigError(`The file ${path} cannot be written${WHY_UNWRITABLE[code] ?? ''} (${code}).`, { cause })
    }
  }
  const place = await guard(() => placeOf(path))
  if (place === null) {
    throw new ConfigError(`${path || 'An empty name'} names no file that could be replaced: choose the name of a file.`)
  }
  const nameBeside = `.${basename(place).slice(0, MOST_NAME_LETTERS)}.${randomBytes(4).toString('hex')}.part`
  const beside = join(dirname(place), nameBeside)
  const removeAtOnce = () => rmSync(beside, { force: true })
  process.once('exit', removeAtOnce)
  let file: FileHandle | null = await guard(() => open(beside, 'wx', 0o600))
  return {
    write: (text) => guard(async () => void (await file?.appendFile(text))),
    finish: () =>
      guard(async () => {
        await file?.sync()
        await file?.close()
        file = null
        await rename(beside, place)
      }),
    async close() {
      await file?.close()
      await rm(beside, { force: true })
      process.off('exit', removeAtOnce)
    },
  }
}

/** Where the file of this name is or will be; null where something else is. */
async function placeOf(path: string): Promise<string | null> {
  const isNamed = (await isThere(lstat(path))) !== null
  if (!isNamed) return path === '' || path.endsWith('/') ? null : path
  const found = await isThere(stat(path))
  return found?.isFile() ? await realpath(path) : null
}

async function isThere(asked: Promise<Stats>): Promise<Stats | null> {
  return await asked.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
