import { cleanText } from '../typed-text.ts'
import TITLES from './column-titles.json' with { type: 'json' }
import { type FileRecord, NOT_UTF8 } from './record-file.ts'

const KINDS: Readonly<Record<string, readonly string[]>> = TITLES

/** Returns the first column with a usual title of these kinds: "E-Mail-Adresse" is an address. */
export function columnOfKind(titles: readonly string[], kinds: readonly string[]): string | undefined {
  const known = new Map(titles.map((title) => [plain(title), title]))
  const name = kinds.flatMap((kind) => KINDS[kind] ?? []).find((one) => known.has(one))
  return name === undefined ? undefined : known.get(name)
}

/** Returns a title without case, accents, blanks and signs. */
function plain(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

/** Returns the titles of a header. */
export function titlesOf(header: FileRecord | null): string[] {
  return (header?.cells ?? []).map(cleanText)
}

/**
 * Names the columns of a header, as a sentence. A file without a header begins with a person, whose name or password no message
 * may show.
 */
export function titlesInWords(titles: readonly string[]): string {
  const isHeader = columnOfKind(titles, Object.keys(KINDS)) !== undefined && titles.every(looksLikeTitle)
  if (!isHeader) return 'Its first line does not look like names of columns.'
  return `It has: ${titles.map((title) => JSON.stringify(title)).join(', ')}.`
}

function looksLikeTitle(title: string): boolean {
  return /^[\p{L}\p{M}_ ./()-]{0,40}\d{0,2}$/u.test(title)
}

/** Returns a cell as people mean it. Our own lists have an apostrophe before a text that a spreadsheet would calculate. */
export function cleanCell(cell: string | undefined): string {
  return cleanText((cell ?? '').replace(/(^|[,;])(["'\s]*)'(?=[=+\-@＝＋－＠])/g, '$1$2'))
}

/** The fault of a refused row. */
export interface RowFault {
  /** Names the fault for a page in another language, such as `wrongCells`. */
  readonly code: string
  readonly values: Readonly<Record<string, string | number>>
  /** The end of an English sentence that begins with the line. */
  readonly text: string
}

export function rowFault(code: string, text: string, values: RowFault['values'] = {}): RowFault {
  return { code, text, values }
}

/** Returns why a row cannot be read; null if it can. @param columns the number of cells of the header. */
export function faultInRecord({ cells, isMisquoted }: FileRecord, columns: number): RowFault | null {
  if (isMisquoted) return rowFault('misquoted', 'has a cell whose quotation marks do not match')
  if (cells.length !== columns) {
    const values = { cells: cells.length, columns }
    return rowFault('wrongCells', `has ${cells.length} cells where the header has ${columns}`, values)
  }
  return cells.some((cell) => cell.includes('\uFFFD')) ? rowFault('notUtf8', NOT_UTF8) : null
}
