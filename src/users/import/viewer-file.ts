import { z } from 'zod'
import { ConfigError } from '../../errors.ts'
import { faultInAttributeName } from '../viewer-fields.ts'
import { csvRecords } from './csv-records.ts'
import type { TextLine } from './text-lines.ts'

/** A viewer as a row of a file tells of one. What its file does not speak of is undefined. */
export interface ViewerRow {
  readonly username: string
  readonly password: string | undefined
  readonly passwordHash: string | undefined
  readonly groups: readonly string[] | undefined
  readonly disabled: boolean | undefined
  /** Null for an attribute that the viewer shall not have. */
  readonly attributes: Readonly<Record<string, string | null>>
}

export type FileRow = { readonly line: number; readonly bytesRead: number } & (
  | { readonly ok: true; readonly row: ViewerRow }
  /** The end of a sentence that begins with the line. */
  | { readonly ok: false; readonly fault: string }
)

export const ROW_FIELDS = ['username', 'password', 'password_hash', 'groups', 'disabled'] as const
export type RowField = (typeof ROW_FIELDS)[number]

export interface ColumnOptions {
  /** The columns that hold a field but are named otherwise. */
  readonly columnOfField: ReadonlyMap<RowField, string>
  /** Columns that are left out; every other one is an attribute of its name. */
  readonly ignored: ReadonlySet<string>
  /** Whether a row without any password is of no use. */
  readonly needsPassword: boolean
}

/** What a row holds by the name of its column, before it is known to be right. */
type RawRow = ReadonlyMap<string, unknown>

/**
 * Reads viewers from CSV with a header, or from JSON Lines: whichever the first line is.
 * @throws ConfigError when the header lacks a column or names one that cannot be.
 */
export function* viewerRows(lines: Iterable<TextLine>, options: ColumnOptions): Generator<FileRow> {
  const [first, all] = peek(lines)
  const rawRows = first?.text.trimStart().startsWith('{') ? jsonRows(all) : csvRows(all, options)
  for (const raw of rawRows) {
    const { line, bytesRead } = raw
    const read = raw.ok ? readRow(raw.row, options) : raw.fault
    yield typeof read === 'string'
      ? { line, bytesRead, ok: false, fault: read }
      : { line, bytesRead, ok: true, row: read }
  }
}

type RawFileRow = { readonly line: number; readonly bytesRead: number } & (
  | { readonly ok: true; readonly row: RawRow }
  | { readonly ok: false; readonly fault: string }
)

function* jsonRows(lines: Iterable<TextLine>): Generator<RawFileRow> {
  for (const { line, text, bytesRead } of lines) {
    if (text.trim() === '') continue
    const row = text.includes('\uFFFD') ? 'holds bytes that are not UTF-8' : parseObject(text)
    yield typeof row === 'string' ? { line, bytesRead, ok: false, fault: row } : { line, bytesRead, ok: true, row }
  }
}

function parseObject(text: string): RawRow | string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return 'is not JSON'
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return 'is not a JSON object'
  return new Map(Object.entries(parsed))
}

function* csvRows(lines: Iterable<TextLine>, options: ColumnOptions): Generator<RawFileRow> {
  let header: readonly string[] | undefined
  for (const record of csvRecords(lines)) {
    const { line, bytesRead } = record
    if (!header) {
      header = readHeader(record.ok ? record.cells : [], options)
      continue
    }
    const fault = record.ok ? faultInCells(record.cells, header) : record.fault
    if (!record.ok || fault !== null) {
      yield { line, bytesRead, ok: false, fault: fault ?? '' }
      continue
    }
    const { cells } = record
    yield { line, bytesRead, ok: true, row: new Map(header.map((column, index) => [column, cells[index] ?? ''])) }
  }
  if (!header) throw new ConfigError('The file is empty: a CSV file begins with the names of its columns.')
}

function faultInCells(cells: readonly string[], header: readonly string[]): string | null {
  if (cells.length !== header.length) return `has ${cells.length} cells where the header has ${header.length}`
  return cells.some((cell) => cell.includes('\uFFFD')) ? 'holds bytes that are not UTF-8' : null
}

/** @throws ConfigError when no row could be read right under these columns. */
function readHeader(cells: readonly string[], options: ColumnOptions): string[] {
  const columns = cells.map((cell) => cell.trim())
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index)
  if (repeated !== undefined) throw new ConfigError(`The file has two columns ${JSON.stringify(repeated)}.`)
  for (const [field, column] of options.columnOfField) {
    if (columns.includes(column)) continue
    throw new ConfigError(`The file has no column ${JSON.stringify(column)} for ${field}. ${listing(columns)}`)
  }
  if (!columns.includes(columnOf('username', options))) {
    throw new ConfigError(
      `The file has no column "username": name the one that holds it, as in --column username=email. ${listing(columns)}`,
    )
  }
  const passwordColumns = [columnOf('password', options), columnOf('password_hash', options)]
  if (options.needsPassword && !passwordColumns.some((column) => columns.includes(column))) {
    throw new ConfigError(
      `The file has neither a column "password" nor "password_hash": name it, as in --column password_hash=user_pass. ${listing(columns)}`,
    )
  }
  for (const column of columns) {
    const fault = isAttribute(column, options) ? faultInAttributeName(column) : null
    if (fault === null) continue
    const name = JSON.stringify(column)
    throw new ConfigError(
      `The column ${name} cannot be an attribute, since its name ${fault}: leave it out with --ignore.`,
    )
  }
  return columns
}

function listing(columns: readonly string[]): string {
  return `It has: ${columns.map((column) => JSON.stringify(column)).join(', ')}.`
}

function columnOf(field: RowField, { columnOfField }: ColumnOptions): string {
  return columnOfField.get(field) ?? field
}

function isAttribute(column: string, options: ColumnOptions): boolean {
  return !options.ignored.has(column) && !ROW_FIELDS.some((field) => columnOf(field, options) === column)
}

const YES = ['true', '1', 'yes', 'disabled']
const NO = ['', 'false', '0', 'no', 'active']

const Text = z.string('is not text')
const Groups = z.union([
  z.array(Text),
  Text.transform((text) =>
    text
      .split(/[,;]/)
      .map((group) => group.trim())
      .filter((group) => group !== ''),
  ),
])
const Disabled = z.union([
  z.boolean(),
  Text.transform((text) => text.trim().toLowerCase())
    .refine((text) => [...YES, ...NO].includes(text))
    .transform((text) => YES.includes(text)),
])
const AttributeValue = z.union([
  Text.transform((text) => (text === '' ? null : text)),
  z.number().transform(String),
  z.boolean().transform(String),
  z.null(),
])

/** The row, or the end of a sentence that begins with the line. */
function readRow(raw: RawRow, options: ColumnOptions): ViewerRow | string {
  const faults: string[] = []
  function read<T>(column: string, schema: z.ZodType<T>, expected: string): T | undefined {
    const parsed = schema.safeParse(raw.get(column))
    if (parsed.success) return parsed.data
    faults.push(`has ${JSON.stringify(column)} that is not ${expected}`)
    return undefined
  }
  function readField<T>(field: RowField, schema: z.ZodType<T>, expected: string): T | undefined {
    const column = columnOf(field, options)
    return (raw.get(column) ?? undefined) === undefined ? undefined : read(column, schema, expected)
  }
  const attributes = [...raw.keys()]
    .filter((column) => isAttribute(column, options))
    .map((column) => [column, read(column, AttributeValue, 'text, a number, true, false or null') ?? null])
  const row: ViewerRow = {
    username: readField('username', Text, 'text')?.trim() ?? '',
    password: readField('password', Text, 'text') || undefined,
    passwordHash: readField('password_hash', Text, 'text')?.trim() || undefined,
    groups: readField('groups', Groups, 'a list of groups'),
    disabled: readField('disabled', Disabled, 'true or false'),
    attributes: Object.fromEntries(attributes),
  }
  return faults[0] ?? row
}

/** The first that is not blank, and all of them once more. */
function peek(lines: Iterable<TextLine>): [TextLine | undefined, Iterable<TextLine>] {
  const source = lines[Symbol.iterator]()
  const seen: TextLine[] = []
  for (let next = source.next(); !next.done; next = source.next()) {
    seen.push(next.value)
    if (next.value.text.trim() !== '') break
  }
  return [
    seen.at(-1),
    (function* again() {
      yield* seen
      for (let next = source.next(); !next.done; next = source.next()) yield next.value
    })(),
  ]
}
