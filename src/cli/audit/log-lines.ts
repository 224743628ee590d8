import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ConfigError } from '../../errors.ts'

/** Longer lines are cut, so that a file without line ends cannot fill the memory. */
const LONGEST_LINE_BYTES = 1_048_576
/** The names that logrotate gives: `.1`, `.2.gz`, `-20261120.gz`. */
const ROTATED = /^[.-]\d[\d.T_-]*(\.gz)?$/
const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: ': it does not exist',
  EISDIR: ': it is a folder',
  EACCES: ': the user of this program may not read it',
  Z_DATA_ERROR: ': it is damaged, or not compressed with gzip',
  Z_BUF_ERROR: ': it is cut short',
}

/** Returns the rotated files of a log and the log itself, the oldest first. The log itself may be missing. */
export async function rotatedFiles(path: string): Promise<string[]> {
  const [folder, name] = [dirname(path), basename(path)]
  const names = await readdir(folder).catch((): string[] => [])
  const rotated = names.filter((other) => other.startsWith(name) && ROTATED.test(other.slice(name.length)))
  const aged = await Promise.all(
    rotated.map(async (other) => ({ file: join(folder, other), mtimeMs: (await stat(join(folder, other))).mtimeMs })),
  )
  const sorted = aged.toSorted((one, other) => one.mtimeMs - other.mtimeMs).map(({ file }) => file)
  return names.includes(name) || sorted.length === 0 ? [...sorted, path] : sorted
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
    const { code = '' } = cause as NodeJS.ErrnoException
    throw new ConfigError(`The file ${path} cannot be read${WHY_UNREADABLE[code] ?? ''} (${code}).`, { cause })
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
