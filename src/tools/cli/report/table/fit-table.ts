import widthOf from 'fast-string-width'
import type { CommandIo } from '../../terminal/io.ts'
import type { ReportSink } from '../../terminal/sink.ts'
import { printableCell, SEPARATOR, textTable } from '../../terminal/table.ts'

/** The width of a terminal that does not tell it. */
const DEFAULT_COLUMNS = 80
/** Texts are cut down to each of these widths, until the table fits. */
const USEFUL_WIDTH = 10
const LEAST_WIDTHS = [32, USEFUL_WIDTH, 4]
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
 * Cuts the texts of a table so that it fits a terminal, and aligns numbers on the right. The columns are in the order of
 * their importance: cuts begin at the last one.
 * @returns also the titles of the columns that have no room.
 */
export function fitTable({ titles, rows }: Table, widthColumns: number): Table & { leftOut: readonly string[] } {
  const lines = [titles, ...rows.map((row) => row.map(printableCell))]
  const count = countFitting(lines, widthColumns)
  const [shown = [], ...cells] = lines.map((line) => line.slice(0, count))
  const widths = widthsOf([shown, ...cells], widthColumns)
  const isNumber = shown.map((_title, column) => cells.every((row) => /^[\d,.]+$/.test(row[column] ?? '')))
  const fitted = (row: readonly string[]) =>
    row.map((cell, column) => {
      const text = cutTo(cell, widths[column] ?? 0)
      return isNumber[column] ? ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text))) + text : text
    })
  return { titles: fitted(shown), rows: cells.map(fitted), leftOut: titles.slice(count) }
}

/** Returns the number of columns that fit with at least ten characters each. */
function countFitting(lines: readonly (readonly string[])[], widthColumns: number): number {
  let room = widthColumns + SEPARATOR.length
  const widest = widestIn(lines)
  const first = widest.findIndex((width) => {
    room -= (width <= WIDEST_TIME ? width : USEFUL_WIDTH) + SEPARATOR.length
    return room < 0
  })
  return first === -1 ? widest.length : Math.max(1, first)
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

function widthsOf(lines: readonly (readonly string[])[], widthColumns: number): number[] {
  const whole = widestIn(lines)
  const widths = [...whole]
  let excess = widths.reduce((sum, width) => sum + width, SEPARATOR.length * (widths.length - 1)) - widthColumns
  for (const least of LEAST_WIDTHS) {
    for (const [column, width] of [...widths.entries()].reverse()) {
      // A time or a number is of no use in part, so it is cut last.
      const isCut = (whole[column] ?? 0) > WIDEST_TIME || least === LEAST_WIDTHS.at(-1)
      const cut = isCut ? Math.max(0, Math.min(excess, width - least)) : 0
      widths[column] = width - cut
      excess -= cut
    }
  }
  return widths
}
