import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { ConfigError } from '../../../errors.ts'

/** A row of CSV as its cells, or a line of JSON Lines as its only cell. Bytes that are not UTF-8 are U+FFFD. */
export interface FileRecord {
  /** Where the record begins, from 1. */
  readonly line: number
  /** The number of bytes of the file up to the end of the record. */
  readonly endByte: number
  readonly cells: readonly string[]
  /** True if a cell has text after its closing quotation mark. The cell then still has both marks. */
  readonly isMisquoted: boolean
}

export interface RecordFile {
  readonly isJsonLines: boolean
  /** 0 if unknown, as for a pipe. */
  readonly sizeBytes: number
  /** Without blank lines. @throws ConfigError for a record that is too long, with its line. */
  readonly records: AsyncIterable<readonly FileRecord[]>
  close(): void
}

const CHUNK_BYTES = 65_536
const LONGEST_RECORD_BYTES = 1_048_576
/** NUL cannot be in JSON, so each line of JSON Lines is one cell. */
const NO_DELIMITER = '\0'

/**
 * Opens a file of CSV or JSON Lines of any length. A file whose first line begins with "{" is JSON Lines.
 * CSV cells are separated by commas, semicolons or tabs: by the one that is most frequent in the first line.
 * @throws ConfigError when the file cannot be read or is not UTF-8.
 */
export async function openRecordFile(path: string): Promise<RecordFile> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const records = await openRecordStream(path, file)
  return { ...records, sizeBytes: size }
}

/**
 * Opens a stream, such as standard input, like openRecordFile().
 * @param name for messages.
 * @throws ConfigError when the stream cannot be read or is not UTF-8.
 */
export async function openRecordStream(
  name: string,
  stream: Readable,
): Promise<Pick<RecordFile, 'isJsonLines' | 'records' | 'close'>> {
  try {
    const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]()
    const start = await readFirstLine(chunks)
    assertNotUtf16(name, start)
    const [header = ''] = textOf(start).split('\n', 1)
    const isJsonLines = header.startsWith('{')
    return {
      isJsonLines,
      records: recordsOf(name, start, chunks, isJsonLines ? NO_DELIMITER : delimiterOf(header)),
      close: () => void stream.destroy(),
    }
  } catch (cause) {
    stream.destroy()
    throw cause instanceof ConfigError ? cause : unreadable(name, cause)
  }
}

/** Reads until the first line that is not blank is complete. */
async function readFirstLine(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < LONGEST_RECORD_BYTES && !textOf(start).includes('\n')) {
    const next = await chunks.next()
    if (next.done) break
    start = Buffer.concat([start, next.value])
  }
  return start
}

/** Removes a byte order mark and blank lines at the start; trimStart() counts both as white space. */
function textOf(start: Buffer): string {
  return start.toString().trimStart()
}

function delimiterOf(header: string): string {
  const outsideQuotes = header.replaceAll(/"[^"]*"/g, '')
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: outsideQuotes.split(delimiter).length }))
  return counted.reduce((most, one) => (one.count > most.count ? one : most)).delimiter
}

async function* recordsOf(
  path: string,
  start: Buffer,
  rest: AsyncIterator<Buffer>,
  delimiter: string,
): AsyncGenerator<FileRecord[]> {
  let line = 1
  let records: FileRecord[] = []
  const parser = parse({
    bom: true,
    delimiter,
    quote: delimiter === NO_DELIMITER ? false : '"',
    record_delimiter: ['\n', '\r\n'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: LONGEST_RECORD_BYTES,
    raw: true,
    // Collects the records here: a stream of a million objects would double the time of the import.
    on_record(record, { bytes: endByte }) {
      // The types of csv-parse leave out what `raw` adds.
      const { record: cells, raw } = record as unknown as { record: string[]; raw: string }
      const isMisquoted = cells.some((cell) => isMisquotedIn(raw, cell))
      if (cells.length > 1 || cells[0]?.trim()) records.push({ line, endByte, cells, isMisquoted })
      // The parser's own count is wrong after a "\r\n" within quotation marks.
      line += 1
      for (const cell of cells) if (cell.includes('\n')) line += cell.split('\n').length - 1
      return null
    },
  })
  // Each call gets its error in its callback. Without a listener, the event would end the process.
  parser.on('error', () => {})
  try {
    for (let chunk: Buffer | undefined = start; chunk; chunk = (await rest.next()).value) {
      await new Promise<void>((resolve, reject) => parser.write(chunk, (e) => (e ? reject(e) : resolve())))
      yield records
      records = []
    }
    await new Promise<void>((resolve, reject) => parser.end((e?: Error) => (e ? reject(e) : resolve())))
    yield records
  } catch (cause) {
    yield records
    throw cause instanceof CsvError ? unreadableRecord(path, line, cause) : unreadable(path, cause)
  }
}

/** True for a cell whose marks the parser kept. A well quoted cell with marks of its own stands in the file with each doubled. */
function isMisquotedIn(record: string, cell: string): boolean {
  return cell.startsWith('"') && cell.includes('"', 1) && !record.includes(`"${cell.replaceAll('"', '""')}"`)
}

function unreadableRecord(path: string, line: number, cause: CsvError): ConfigError {
  const fault =
    cause.code === 'CSV_QUOTE_NOT_CLOSED'
      ? 'has a quotation mark that is never closed'
      : 'is longer than 1 MiB, or has a quotation mark that is never closed'
  return new ConfigError(`Line ${line} of ${path} ${fault}. Correct the file, then start the import again.`, { cause })
}

function assertNotUtf16(path: string, start: Buffer): void {
  const mark = start.subarray(0, 2).toString('hex')
  if (mark === 'fffe' || mark === 'feff') throw new ConfigError(`${path} is UTF-16 text. Save it as UTF-8.`)
}

const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: ': it does not exist',
  EISDIR: ': it is a folder',
  EACCES: ': the user of this program may not read it',
}

function unreadable(path: string, cause: unknown): ConfigError {
  const { code = '' } = cause as NodeJS.ErrnoException
  return new ConfigError(`The file ${path} cannot be read${WHY_UNREADABLE[code] ?? ''} (${code}).`, { cause })
}
