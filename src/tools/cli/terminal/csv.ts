import { printable } from './text.ts'

export type CsvCell = string | number | boolean | null | undefined

/** Joins cells to one record, as RFC 4180 says. Untrusted text is made safe for spreadsheets and terminals. */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/**
 * Signs that start a formula: at the start of a text, or after a separator of any locale. Quotes and spaces may come
 * before them.
 */
const FORMULA = /(^|[,;])(["'\s]*)(?=[=+\-@＝＋－＠])/g

/** The form of most cells: nothing in them is escaped. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9 .:@_/+-]*$/

/**
 * Makes untrusted text safe. A formula gets an apostrophe before it, so that no spreadsheet runs it (OWASP: CSV
 * Injection). Control characters are escaped, so that no terminal obeys them.
 */
function csvCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'string') return String(cell)
  if (PLAIN.test(cell)) return cell
  const text = printable(cell).replace(FORMULA, "$1$2'")
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
