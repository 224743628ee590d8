import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ConfigError } from '../../../errors.ts'
import type { CommandIo } from './io.ts'

/** The destination of a report. */
export interface ReportSink {
  write(text: string | Uint8Array): Promise<void>
  /** Completes the report. A file gets its final name only now. */
  finish(): Promise<void>
}

/** Declared with `await using`, which removes an unfinished report. */
type OpenSink = ReportSink & AsyncDisposable

const WHY_UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: ': the folder does not exist',
  EACCES: ': no permission',
  EROFS: ': the file system is read-only',
  ENOSPC: ': the disk is full',
  ENAMETOOLONG: ': its name is too long',
}
/** Length of the part of the file name that the temporary name repeats. A name can have at most 255 bytes. */
const MOST_NAME_CHARACTERS = 40

/** Writes to standard output. Waits when the reader is slow. */
function standardOutput(stdout: CommandIo['stdout'], signal: AbortSignal): OpenSink {
  return {
    async write(text) {
      if (!stdout.write(text)) await once(stdout, 'drain', { signal })
    },
    finish: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Opens the file, or standard output without one. @throws ConfigError as openFileSink(). */
export async function openSink(
  path: string | undefined,
  { stdout }: Pick<CommandIo, 'stdout'>,
  signal: AbortSignal,
): Promise<OpenSink> {
  return path === undefined ? standardOutput(stdout, signal) : await openFileSink(path)
}

/**
 * Opens a file that is complete or absent. Writes a temporary file in the same folder and renames it at the end. Only
 * this user can read it, because it names viewers. Follows a link. An old file stays until the rename. The temporary
 * file is removed even after a second Ctrl-C.
 * @throws ConfigError if the file cannot be written, and for a folder, device or pipe.
 */
export async function openFileSink(path: string): Promise<OpenSink> {
  const guard = <T>(work: () => Promise<T>) => orWriteFault(path, work)
  const target = await writableTarget(path)
  const temporary = besideTarget(target, `${randomBytes(4).toString('hex')}.part`)
  const removeNow = () => rmSync(temporary, { force: true })
  process.once('exit', removeNow)
  let file: FileHandle | null = await guard(() => open(temporary, 'wx', 0o600))
  return {
    write: (text) => guard(async () => void (await file?.appendFile(text))),
    finish: () =>
      guard(async () => {
        await file?.sync()
        await file?.close()
        file = null
        await rename(temporary, target)
      }),
    async [Symbol.asyncDispose]() {
      await file?.close()
      await rm(temporary, { force: true })
      process.off('exit', removeNow)
    },
  }
}

/** Does the work. @throws ConfigError that names the file and why it cannot be written. */
export async function orWriteFault<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    throw new ConfigError(`The file ${path} cannot be written${WHY_UNWRITABLE[code] ?? ''} (${code}).`, { cause })
  }
}

/** Returns the path of a file to write, after links. @throws ConfigError for a folder, device or pipe. */
export async function writableTarget(path: string): Promise<string> {
  const target = await orWriteFault(path, () => targetOf(path))
  if (target !== null) return target
  throw new ConfigError(`${path || 'An empty name'} is not the name of a file. Choose another name.`)
}

/** Returns the path of a hidden file in the folder of the target, whose name begins as that of the target. */
export function besideTarget(target: string, end: string): string {
  return join(dirname(target), `.${basename(target).slice(0, MOST_NAME_CHARACTERS)}.${end}`)
}

/** Returns the path of the file after links, or null if the path is not a file. */
async function targetOf(path: string): Promise<string | null> {
  const exists = (await statOrNull(lstat(path))) !== null
  if (!exists) return path === '' || path.endsWith('/') ? null : path
  const found = await statOrNull(stat(path))
  return found?.isFile() ? await realpath(path) : null
}

async function statOrNull(work: Promise<Stats>): Promise<Stats | null> {
  return await work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
