import widthOf from 'fast-string-width'
import type { CommandIo } from '../../terminal/io.ts'
import type { ReportSink } from '../../terminal/sink.ts'
import { printableCell, SEPARATOR, textTable } from '../../terminal/table.ts'

/** The width of a terminal that does not tell it. */
const DEFAULT_COLUMNS = 80
/** Texts are cut to one width, but not to less than this. */
const USEFUL_WIDTH = 10
/** A time or a number is of no use in part, so it is whole. */
const WIDEST_TIME = '25 Oct 2025 18:03'.length

interface Table {
  readonly titles: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Writes a table. At a terminal, cuts it to fit, and names the columns without room. @param stdout null for a file. */
export async function writeTable(sink: ReportSink, stdout: CommandIo['stdout'] | null, table: Table): Promise<void> {
  const { titles, rows, leftOut } = stdout?.isTTY
    ? fitTable(table, stdout.columns ?? DEFAULT_COLUMNS)
    : { ...table, leftOut: [] }
  await sink.write(`${await textTable(stdout, titles, rows)}\n`)
  if (leftOut.length === 0) return
  await sink.write(`No room for: ${leftOut.join(', ')}. Widen the terminal, or use --csv.\n`)
}

/**
 * Cuts the long texts of a table to one width, so that it fits a terminal, and aligns numbers on the right.
 * @returns also the titles of the last columns, if they have no room.
 */
export function fitTable({ titles, rows }: Table, widthColumns: number): Table & { leftOut: readonly string[] } {
  const lines = [titles, ...rows.map((row) => row.map(printableCell))]
  const whole = widestIn(lines)
  const cutAt = (most: number) => whole.map((width) => (width <= WIDEST_TIME ? width : Math.min(width, most)))
  const isTooWide = (widths: readonly number[]) =>
    widths.reduce((sum, width) => sum + width + SEPARATOR.length, -SEPARATOR.length) > widthColumns
  let most = widthColumns
  while (most > USEFUL_WIDTH && isTooWide(cutAt(most))) most -= 1
  const widths = cutAt(most)
  while (widths.length > 1 && isTooWide(widths)) widths.pop()
  const [shown = [], ...cells] = lines.map((line) => line.slice(0, widths.length))
  const isNumber = shown.map((_title, column) => cells.every((row) => /^[\d,.]+$/.test(row[column] ?? '')))
  const fitted = (row: readonly string[]) =>
    row.map((cell, column) => {
      const text = cutTo(cell, widths[column] ?? 0)
      return isNumber[column] ? ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text))) + text : text
    })
  return { titles: fitted(shown), rows: cells.map(fitted), leftOut: titles.slice(widths.length) }
}

function widestIn([titles = [], ...rows]: readonly (readonly string[])[]): number[] {
  return titles.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), widthOf(title)),
  )
}

/** Cuts a text that is wider than its column. */
function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  for (const character of text) {
    if (widthOf(cut + character) >= width) break
    cut += character
  }
  return `${cut}…`
}
