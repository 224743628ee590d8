import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { ConfigError } from '../errors.ts'

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
  /** The first row of CSV. Null for JSON Lines, and for an empty file. */
  readonly header: FileRecord | null
  /** The rows behind the header, without blank rows, and without the blank cells that Excel writes behind the last column. @throws ConfigError for a record that is too long, with its line. */
  readonly records: AsyncIterable<readonly FileRecord[]>
  close(): void
}

interface CsvForm {
  readonly delimiter: string
  /** True if the first record is not a row. */
  readonly skipsFirst: boolean
}

const CHUNK_BYTES = 65_536
const LONGEST_RECORD_BYTES = 1_048_576
/** NUL cannot be in JSON, so each line of JSON Lines is one cell. */
const NO_DELIMITER = '\0'
/** Excel reads and writes this first line. */
const SEPARATOR_LINE = /^sep=([,;\t])\r?$/i

/**
 * Opens a file of CSV or JSON Lines of any length. A file whose first line begins with "{" is JSON Lines.
 * CSV cells are separated by commas, semicolons or tabs: by the one that is most frequent in the first line, or that
 * Excel's first line "sep=;" names. The text is UTF-8, or UTF-16 with its mark.
 * @throws ConfigError when the file cannot be read, or its first line is not such text.
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
export async function openRecordStream(name: string, stream: Readable): Promise<Omit<RecordFile, 'sizeBytes'>> {
  try {
    const chunks = inUtf8(stream)
    const start = await readFirstLine(chunks)
    assertText(name, start)
    const [top = ''] = textOf(start).split('\n', 1)
    const isJsonLines = top.startsWith('{')
    const named = SEPARATOR_LINE.exec(top)?.[1]
    const delimiter = isJsonLines ? NO_DELIMITER : (named ?? delimiterOf(top))
    const records = recordsOf(name, start, chunks, { delimiter, skipsFirst: named !== undefined })
    const close = () => void stream.destroy()
    if (isJsonLines) return { isJsonLines, header: null, records, close }
    let first: FileRecord[] | undefined = []
    while (first?.length === 0) first = (await records.next()).value
    const [header = null, ...rows] = first ?? []
    const chained = async function* () {
      yield rows
      yield* records
    }
    return { isJsonLines, header, records: chained(), close }
  } catch (cause) {
    stream.destroy()
    throw cause instanceof ConfigError ? cause : unreadable(name, cause)
  }
}

/** Turns UTF-16 with a byte order mark, the "Unicode" of spreadsheets, into UTF-8. */
async function* inUtf8(stream: Readable): AsyncGenerator<Buffer, undefined> {
  let toText: ((chunk: Buffer) => string) | null | undefined
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    // Only the first chunk can have the mark.
    if (toText === undefined) {
      const mark = chunk.subarray(0, 2).toString('hex')
      const decoder =
        mark === 'fffe' || mark === 'feff' ? new TextDecoder(`utf-16${mark === 'fffe' ? 'le' : 'be'}`) : null
      toText = decoder && ((part) => decoder.decode(part, { stream: true }))
    }
    yield toText ? Buffer.from(toText(chunk)) : chunk
  }
  return undefined
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
  form: CsvForm,
): AsyncGenerator<FileRecord[]> {
  const collected = collector(form)
  const parser = parse({
    bom: true,
    delimiter: form.delimiter,
    quote: form.delimiter === NO_DELIMITER ? false : '"',
    record_delimiter: ['\n', '\r\n'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: LONGEST_RECORD_BYTES,
    raw: true,
    // Collects the records here: a stream of a million objects would double the time of the import.
    on_record(record, { bytes: endByte }) {
      // The types of csv-parse leave out what `raw` adds.
      const { record: cells, raw } = record as unknown as { record: string[]; raw: string }
      collected.add(cells, raw, endByte)
      return null
    },
  })
  // Each call gets its error in its callback. Without a listener, the event would end the process.
  parser.on('error', () => {})
  try {
    for (let chunk: Buffer | undefined = start; chunk; chunk = (await rest.next()).value) {
      await new Promise<void>((resolve, reject) => parser.write(chunk, (e) => (e ? reject(e) : resolve())))
      if (collected.isBroken()) break
      yield collected.take()
    }
    if (!collected.isBroken()) {
      await new Promise<void>((resolve, reject) => parser.end((e?: Error) => (e ? reject(e) : resolve())))
    }
  } catch (cause) {
    yield collected.take()
    throw cause instanceof CsvError ? unreadableRecord(path, collected.line(), cause) : unreadable(path, cause)
  }
  yield collected.take()
  if (collected.isBroken()) throw wrongRecord(path, collected.line(), `${NEVER_CLOSED}, or is closed in a later row`)
}

/** Collects records, up to one that has probably swallowed other rows. */
function collector({ delimiter, skipsFirst }: CsvForm) {
  let line = 1
  let records: FileRecord[] = []
  let isFirst = skipsFirst
  /** The number of cells of the first record; 0 before it. */
  let columns = 0
  /** That number without blank cells at the end. */
  let width = 0
  let isBroken = false
  return {
    /** The line of the next record, or of the broken one. */
    line: () => line,
    isBroken: () => isBroken,
    add(cells: readonly string[], raw: string, endByte: number): void {
      if (isBroken) return
      const isMisquoted = cells.some((cell) => isMisquotedIn(raw, cell))
      isBroken = hasOtherRows(cells, isMisquoted, columns, delimiter)
      if (isBroken) return
      const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1
      if (used > 0) {
        const kept = cells.slice(0, Math.max(used, width))
        if (!isFirst) records.push({ line, endByte, cells: kept, isMisquoted })
        if (!isFirst && columns === 0) {
          columns = cells.length
          width = used
        }
        isFirst = false
      }
      // The parser's own count is wrong after a "\r\n" within quotation marks.
      line += 1
      for (const cell of cells) if (cell.includes('\n')) line += cell.split('\n').length - 1
    },
    take(): FileRecord[] {
      const taken = records
      records = []
      return taken
    },
  }
}

/**
 * True if a quotation mark that is never closed has probably made several rows one record: a cell with a line break has
 * text after its marks, or one of its further lines has as many cells as a row.
 * @param columns the number of cells of a row.
 */
function hasOtherRows(cells: readonly string[], isMisquoted: boolean, columns: number, delimiter: string): boolean {
  const furtherLines = cells.flatMap((cell) => cell.split('\n').slice(1))
  if (isMisquoted) return furtherLines.length > 0
  return columns > 1 && furtherLines.some((text) => text.split(delimiter).length === columns)
}

/** True for a cell whose marks the parser kept. A well quoted cell with marks of its own stands in the file with each doubled. */
function isMisquotedIn(record: string, cell: string): boolean {
  return cell.startsWith('"') && cell.includes('"', 1) && !record.includes(`"${cell.replaceAll('"', '""')}"`)
}

const NEVER_CLOSED = 'has a quotation mark that is never closed'

function unreadableRecord(path: string, line: number, cause: CsvError): ConfigError {
  const isOpen = cause.code === 'CSV_QUOTE_NOT_CLOSED'
  return wrongRecord(path, line, isOpen ? NEVER_CLOSED : `is longer than 1 MiB, or ${NEVER_CLOSED}`, cause)
}

function wrongRecord(path: string, line: number, fault: string, cause?: CsvError): ConfigError {
  const coded = { code: 'badRow', values: { line } }
  return new ConfigError(`Line ${line} of ${path} ${fault}. Correct the file, then start again.`, { cause, coded })
}

const SAVE = 'in Excel, save the list as "CSV UTF-8"'
/** For a file or a row that is not UTF-8, as the end of a sentence. */
export const NOT_UTF8 = `contains bytes that are not UTF-8: ${SAVE}`

function assertText(path: string, start: Buffer): void {
  const [top = ''] = textOf(start).split('\n', 1)
  if (top.startsWith('PK\u0003')) throw new ConfigError(`${path} is a workbook: ${SAVE}.`)
  if (top.includes('\ufffd')) throw new ConfigError(`The first line of ${path} ${NOT_UTF8}.`)
}

const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: ': it does not exist',
  EISDIR: ': it is a folder',
  EACCES: ': the user of this program may not read it',
  Z_DATA_ERROR: ': it is damaged, or not compressed with gzip',
  Z_BUF_ERROR: ': it is cut short',
}

/** Returns the error for a file or a stream that cannot be read. */
export function unreadable(path: string, cause: unknown): ConfigError {
  const { code = '' } = cause as NodeJS.ErrnoException
  return new ConfigError(`The file ${path} cannot be read${WHY_UNREADABLE[code] ?? ''} (${code}).`, { cause })
}
