import { csvRecord } from '../../cli/terminal/csv.ts'

export type Cell = string | number | boolean | null

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/

/**
 * Returns a file that Excel opens with a double click, in every country: UTF-16 with tabs. Excel separates CSV by the list
 * separator of the country, and takes UTF-8 for another encoding. Numbers have the decimal sign of the language, and times
 * are in a form that Excel knows. A text that looks like a formula begins with an apostrophe.
 */
export function excelSheet(titles: readonly string[], rows: Iterable<readonly Cell[]>, language: string): Buffer {
  const decimal = new Intl.NumberFormat(language).format(1.5).charAt(1)
  const lineOf = (cells: readonly Cell[]) => `${cells.map((cell) => cellText(cell, decimal)).join('\t')}\r\n`
  const lines = [lineOf(titles)]
  for (const row of rows) lines.push(lineOf(row))
  return Buffer.from(`\ufeff${lines.join('')}`, 'utf16le')
}

function cellText(cell: Cell, decimal: string): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell).replace('.', decimal)
  const [, day, time] = typeof cell === 'string' ? (TIME.exec(cell) ?? []) : []
  if (day !== undefined) return `${day} ${time}`
  return csvRecord([cell]).slice(0, -2)
}
