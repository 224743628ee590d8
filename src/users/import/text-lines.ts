import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { ConfigError } from '../../errors.ts'

export interface TextLine {
  /** From 1. */
  readonly line: number
  /** Without its end. Bytes that are not UTF-8 are U+FFFD. */
  readonly text: string
  /** How much of the file has been read so far. */
  readonly bytesRead: number
}

export interface TextFile {
  /** 0 where it is not known beforehand, as for a pipe. */
  readonly sizeBytes: number
  readonly lines: Iterable<TextLine>
  close(): void
}

const CHUNK_BYTES = 262_144
const LONGEST_LINE = 1_048_576

/**
 * Opens a text file to be read line by line, however long it is.
 * @throws ConfigError when it cannot be read or is not text in UTF-8; while reading, for a line longer than 1 MiB.
 */
export function openTextFile(path: string): TextFile {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch (cause) {
    throw unreadable(path, cause)
  }
  return {
    sizeBytes: fstatSync(descriptor).size,
    lines: linesOf(path, descriptor),
    close: () => closeSync(descriptor),
  }
}

function* linesOf(path: string, descriptor: number): Generator<TextLine> {
  const decoder = new TextDecoder()
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let [line, bytesRead, rest] = [0, 0, '']
  for (;;) {
    const length = readChunk(path, descriptor, chunk)
    if (bytesRead === 0) assertNotUtf16(path, chunk.subarray(0, length))
    bytesRead += length
    const texts = (rest + decoder.decode(chunk.subarray(0, length), { stream: length > 0 })).split('\n')
    rest = texts.pop() ?? ''
    for (const text of texts) {
      line += 1
      yield { line, text: text.endsWith('\r') ? text.slice(0, -1) : text, bytesRead }
    }
    if (rest.length > LONGEST_LINE) {
      throw new ConfigError(`Line ${line + 1} of ${path} is longer than 1 MiB: this is no file of viewers.`)
    }
    if (length === 0) break
  }
  if (rest !== '') yield { line: line + 1, text: rest, bytesRead }
}

function readChunk(path: string, descriptor: number, chunk: Buffer): number {
  try {
    return readSync(descriptor, chunk, 0, chunk.length, null)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function assertNotUtf16(path: string, start: Buffer): void {
  const mark = start.subarray(0, 2).toString('hex')
  if (mark === 'fffe' || mark === 'feff') throw new ConfigError(`${path} is UTF-16 text: save it as UTF-8.`)
}

const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: ': it is not there',
  EISDIR: ': it is a folder',
  EACCES: ': the user who runs this may not read it',
}

function unreadable(path: string, cause: unknown): ConfigError {
  const { code = '' } = cause as NodeJS.ErrnoException
  return new ConfigError(`The file ${path} cannot be read${WHY_UNREADABLE[code] ?? ''} (${code}).`, { cause })
}
