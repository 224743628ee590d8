import { z } from 'zod'
import { type Coded, ConfigError } from '../../../errors.ts'
import {
  cleanCell,
  columnOfKind,
  faultInRecord,
  type RowFault,
  rowFault,
  titlesInWords,
  titlesOf,
} from '../../../files/list-columns.ts'
import { type FileRecord, NOT_UTF8, type RecordFile } from '../../../files/record-file.ts'
import { jsonIn } from '../../../json-text.ts'
import { cleanName } from '../../../typed-text.ts'
import { faultInAttributeName } from '../../../users/viewer-fields.ts'

/** A column that a feature turns into attributes. */
export interface FeatureColumn {
  /** Its name, and that of the field. */
  readonly field: string
  /** For the help. */
  readonly about: string
  /** Returns the attributes of a row with the value of the column, or a fault. A null attribute is removed. */
  read(
    text: string | undefined,
    attributes: Readonly<Record<string, string | null>>,
  ): Readonly<Record<string, string | null>> | string
}

/** A viewer in a row of a file. Fields without a column are undefined. */
export interface ViewerRow {
  readonly username: string
  readonly password: string | undefined
  readonly passwordHash: string | undefined
  readonly groups: readonly string[] | undefined
  readonly disabled: boolean | undefined
  /** Null removes the attribute. */
  readonly attributes: Readonly<Record<string, string | null>>
}

/** `endByte` is the number of bytes of the file up to the end of the row. */
export type FileRow = { readonly line: number; readonly endByte: number } & (
  | { readonly ok: true; readonly row: ViewerRow }
  | { readonly ok: false; readonly fault: RowFault }
)

const FIELDS: readonly string[] = ['username', 'password', 'password_hash', 'password_salt', 'groups', 'disabled']
/** One of the fields of `fieldsWith`. */
export type RowField = string

/** Returns the names of the fields of a viewer, with those of features. */
export function fieldsWith(columns: readonly FeatureColumn[]): readonly RowField[] {
  return [...FIELDS, ...columns.map(({ field }) => field)]
}

export interface ColumnOptions {
  /** The columns of fields that have another name. */
  readonly columnOfField: ReadonlyMap<RowField, string>
  /** Columns that are left out. Every other column is an attribute. */
  readonly ignored: ReadonlySet<string>
  /** True if the header must have a column of passwords or hashes. */
  readonly needsPassword: boolean
  /** Says what to do instead, as the end of a sentence. */
  readonly insteadOfPassword?: string
  /** Puts a hash and its salt into one text. Returns null for a hash of another form. Absent if salts are refused. */
  readonly saltedHash?: (passwordHash: string, salt: string) => string | null
  readonly featureColumns: readonly FeatureColumn[]
}

/** The values of a row by the names of their columns, not checked yet. */
type RawRow = ReadonlyMap<string, unknown>

/**
 * Reads the viewers of a file of CSV with a header, or of JSON Lines.
 * @throws ConfigError when the header lacks a column, has an unusable column, or the rest cannot be read.
 */
export async function* viewerRows(file: RecordFile, given: ColumnOptions): AsyncGenerator<FileRow[]> {
  if (!file.header && !file.isJsonLines) {
    throw new ConfigError('The file is empty. The first line of a CSV file names its columns.')
  }
  const titles = titlesOf(file.header)
  const options = withColumns(titles, given)
  if (file.header) checkHeader(titles, options)
  for await (const records of file.records) {
    yield records.map((record) => {
      const { line, endByte, cells } = record
      const raw = file.header ? csvRow(record, titles) : jsonRow(cells)
      return { line, endByte, ...(raw.ok ? readRow(raw.row, options) : raw) }
    })
  }
}

/** Returns the options with the columns of a header that have usual titles. */
export function withColumns(titles: readonly string[], options: ColumnOptions): ColumnOptions {
  const { columnOfField, ignored, featureColumns } = options
  const named = [...columnOfField.values()]
  const open = titles.filter((title) => !ignored.has(title) && !named.includes(title))
  const found = fieldsWith(featureColumns).flatMap((field): [RowField, string][] => {
    const title = columnOfKind(open, field === 'username' ? ['username', 'address'] : [field])
    return title === undefined ? [] : [[field, title]]
  })
  return { ...options, columnOfField: new Map([...found, ...columnOfField]) }
}

type Read<T> = { readonly ok: true; readonly row: T } | { readonly ok: false; readonly fault: RowFault }

const refused = (...fault: Parameters<typeof rowFault>) => ({ ok: false, fault: rowFault(...fault) }) as const

function jsonRow(cells: FileRecord['cells']): Read<RawRow> {
  const [text = '', ...rest] = cells
  if (text.includes('\uFFFD')) return refused('notUtf8', NOT_UTF8)
  const parsed = jsonIn(text)
  if (parsed === undefined || rest.length > 0) return refused('notJson', 'is not JSON')
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return refused('notJson', 'is not a JSON object')
  }
  return { ok: true, row: new Map(Object.entries(parsed)) }
}

function csvRow(record: FileRecord, titles: readonly string[]): Read<RawRow> {
  const fault = faultInRecord(record, titles.length)
  if (fault !== null) return { ok: false, fault }
  return { ok: true, row: new Map(titles.map((title, index) => [title, record.cells[index] ?? ''])) }
}

/** @throws ConfigError when a column is missing, repeated or unusable. */
function checkHeader(columns: readonly string[], options: ColumnOptions): void {
  for (const [field, column] of options.columnOfField) {
    if (columns.includes(column)) continue
    throw new ConfigError(`The file has no column ${JSON.stringify(column)} for ${field}. ${titlesInWords(columns)}`)
  }
  if (!columns.includes(columnOf('username', options))) {
    throw new ConfigError(
      `The file has no column "username". Name the column with user names, as in --column username=email. ${titlesInWords(columns)}`,
      fault('noNameColumn', { columns: columns.join(', ') }),
    )
  }
  const passwordColumns = [columnOf('password', options), columnOf('password_hash', options)]
  if (options.needsPassword && !passwordColumns.some((column) => columns.includes(column))) {
    throw new ConfigError(
      `The file has neither a column "password" nor "password_hash". Name one, as in --column password_hash=user_pass${options.insteadOfPassword ?? ''}. ${titlesInWords(columns)}`,
      fault('noPasswordColumn', { columns: columns.join(', ') }),
    )
  }
  // From here on, the first line is a header, which messages may name.
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index)
  if (repeated !== undefined)
    throw new ConfigError(
      `The file has two columns ${JSON.stringify(repeated)}.`,
      fault('twoColumns', { name: repeated }),
    )
  for (const column of columns) {
    const inName = isAttribute(column, options) ? faultInAttributeName(column) : null
    if (inName === null) continue
    const name = JSON.stringify(column)
    throw new ConfigError(
      `The column ${name} cannot be an attribute, since its name ${inName}. Leave it out with --ignore.`,
      fault('badColumn', { name: column }),
    )
  }
}

function fault(code: string, values: Required<Coded>['values']) {
  return { coded: { code, values } }
}

function columnOf(field: RowField, { columnOfField }: ColumnOptions): string {
  return columnOfField.get(field) ?? field
}

/** Returns how a column of CSV is read: as a field of viewers, as an attribute with its name, or not at all. */
export function meaningOf(column: string, options: ColumnOptions): RowField | 'attribute' | 'ignored' {
  if (options.ignored.has(column)) return 'ignored'
  return fieldsWith(options.featureColumns).find((field) => columnOf(field, options) === column) ?? 'attribute'
}

function isAttribute(column: string, options: ColumnOptions): boolean {
  return meaningOf(column, options) === 'attribute'
}

const UNUSED_SALT = 'has a password salt that no given option reads. See --help, or leave the column out with --ignore'
const ALL_ATTRIBUTES = 'attributes'
const YES = ['true', '1', 'yes', 'disabled']
const NO = ['', 'false', '0', 'no', 'active']

const Text = z.string('is not text')
const Groups = z.union([
  z.array(Text),
  Text.transform((text) =>
    text
      .split(/[,;]/)
      .map(cleanCell)
      .filter((group) => group !== ''),
  ),
])
const Disabled = z.union([
  z.boolean(),
  Text.transform((text) => cleanCell(text).toLowerCase())
    .refine((text) => [...YES, ...NO].includes(text))
    .transform((text) => YES.includes(text)),
])
/** As an export writes the attributes: each of any name, and also an empty one. */
const AllAttributes = z.record(z.string(), Text)
const AttributeValue = z.union([
  Text.transform((text) => cleanCell(text) || null),
  z.number().transform(String),
  z.boolean().transform(String),
  z.null(),
])

function readRow(raw: RawRow, options: ColumnOptions): Read<ViewerRow> {
  const faults: RowFault[] = []
  function read<T>(column: string, schema: z.ZodType<T>, expected: string): T | undefined {
    const parsed = schema.safeParse(raw.get(column))
    if (parsed.success) return parsed.data
    faults.push(rowFault('wrongCell', `has ${JSON.stringify(column)} that is not ${expected}`, { column }))
    return undefined
  }
  function readField<T>(field: RowField, schema: z.ZodType<T>, expected: string): T | undefined {
    const column = columnOf(field, options)
    if (options.ignored.has(column) || (raw.get(column) ?? undefined) === undefined) return undefined
    return read(column, schema, expected)
  }
  const hasAll = raw.get(ALL_ATTRIBUTES) instanceof Object && isAttribute(ALL_ATTRIBUTES, options)
  const attributes = [...raw.keys()]
    .filter((column) => isAttribute(column, options) && !(hasAll && column === ALL_ATTRIBUTES))
    .map((column) => [column, read(column, AttributeValue, 'text, a number, true, false or null') ?? null])
  const hash = readField('password_hash', Text, 'text')?.trim() || undefined
  const salt = readField('password_salt', Text, 'text')?.trim() || undefined
  const isSalted = hash !== undefined && salt !== undefined
  if (isSalted && !options.saltedHash) faults.push(rowFault('unusedSalt', UNUSED_SALT))
  let allAttributes: ViewerRow['attributes'] = {
    ...Object.fromEntries(attributes),
    ...(hasAll && read(ALL_ATTRIBUTES, AllAttributes, 'an object of texts')),
  }
  for (const column of options.featureColumns) {
    const result = column.read(readField(column.field, Text, 'text'), allAttributes)
    if (typeof result === 'string')
      faults.push(rowFault('wrongCell', result, { column: columnOf(column.field, options) }))
    else allAttributes = result
  }
  const row: ViewerRow = {
    username: cleanName(cleanCell(readField('username', Text, 'text'))),
    password: readField('password', Text, 'text') || undefined,
    passwordHash: (isSalted ? options.saltedHash?.(hash, salt) : null) ?? hash,
    groups: readField('groups', Groups, 'a list of groups'),
    disabled: readField('disabled', Disabled, 'true or false'),
    attributes: allAttributes,
  }
  const [fault] = faults
  return fault === undefined ? { ok: true, row } : { ok: false, fault }
}
