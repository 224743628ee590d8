import { createReadStream, type Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ConfigError } from '../../../errors.ts'
import { unreadable } from '../../../files/record-file.ts'

/** Longer lines are cut, so that a file without line ends cannot fill the memory. */
const LONGEST_LINE_BYTES = 1_048_576
/** The names that logrotate gives: `.1`, `.2.gz`, `-20261120.gz`. */
const ROTATED = /^[.-]\d[\d.T_-]*(\.gz)?$/

/**
 * Returns the rotated files of the security log and the log itself, the oldest first.
 * @throws ConfigError if the log is a pipe or a device, which cannot be read again.
 */
export async function rotatedFiles(path: string): Promise<string[]> {
  const folder = dirname(path)
  const name = basename(path)
  const own = await statOrNull(path)
  if (own !== null && !own.isFile()) {
    throw new ConfigError(
      `SECURITY_LOG_FILE is ${path}, which is not a file. Name the files in which you keep the log.`,
    )
  }
  const names = await readdir(folder).catch((): string[] => [])
  const rotated = names.filter((other) => other.startsWith(name) && ROTATED.test(other.slice(name.length)))
  const files = rotated.map((other) => join(folder, other))
  const aged = await Promise.all(files.map(async (file) => ({ file, found: await statOrNull(file) })))
  const sorted = aged
    .flatMap(({ file, found }) => (found?.isFile() ? { file, mtimeMs: found.mtimeMs } : []))
    .toSorted((one, other) => one.mtimeMs - other.mtimeMs)
    .map(({ file }) => file)
  return own !== null || sorted.length === 0 ? [...sorted, path] : sorted
}

/** Returns null also for a file that was removed in the meantime. */
async function statOrNull(path: string): Promise<Stats | null> {
  return await stat(path).catch(() => null)
}

/**
 * Reads a file in batches of lines. A name that ends in `.gz` is decompressed.
 * @throws ConfigError if the file cannot be read.
 */
export async function* linesOfFile(path: string): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path)
  // pipeline() passes an error of the file on to the reader of the lines.
  const stream = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file
  try {
    yield* linesOfStream(stream)
  } catch (cause) {
    throw unreadable(path, cause)
  } finally {
    file.destroy()
  }
}

/** Reads a stream in batches of lines. */
export async function* linesOfStream(stream: Readable): AsyncGenerator<readonly string[]> {
  let rest = Buffer.alloc(0)
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.concat([rest, Buffer.from(chunk as Buffer)])
    const end = bytes.lastIndexOf('\n')
    rest = bytes.subarray(end + 1)
    if (rest.length > LONGEST_LINE_BYTES) rest = rest.subarray(0, LONGEST_LINE_BYTES)
    if (end >= 0) yield bytes.toString('utf8', 0, end).split('\n')
  }
  if (rest.length > 0) yield [rest.toString()]
}
