import { styleText } from 'node:util'
import type { CommandIo } from './io.ts'
import { printable } from './text.ts'

/** A table stays in memory, because the widths of its columns depend on all rows. */
export const MOST_TABLE_ROWS = 1_000
/** Limits the width of the table, because every row is padded to the longest cell of a column. */
const MAX_CELL_LENGTH = 200
const SEPARATOR = '  '
/** Texts are cut down to each of these widths, until the table fits. */
const USEFUL_WIDTH = 10
const LEAST_WIDTHS = [32, USEFUL_WIDTH, 4]
const WIDEST_TIME = '25 Oct 2025 18:03'.length
/**
 * Formats rows as columns under titles, without lines. Longer texts are truncated and end in `…`.
 * @param stdout titles are bold if this is a terminal. Null for a file.
 * @param widthColumns width of the terminal. Long texts are truncated until each row fits. Numbers are
 * right-aligned. Columns at the end that do not fit are left out, and a last line names them. Without a width, all texts
 * are whole up to 200 characters.
 */
export async function textTable(
  stdout: CommandIo['stdout'] | null,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  widthColumns?: number,
): Promise<string> {
  const { default: widthOf } = await import('fast-string-width')
  const whole = rows.map((row) => row.map((cell) => printable(truncated(cell))))
  const fitting = countFitting([titles, ...whole], widthOf, widthColumns)
  const [shown, leftOut] = [titles.slice(0, fitting), titles.slice(fitting)]
  const cells = whole.map((row) => row.slice(0, fitting))
  const { widths, isNumber } = columnsOf([shown, ...cells], widthOf, widthColumns)
  const lineOf = (row: readonly string[], style = (text: string) => text) =>
    row
      .map((cell, column) => {
        const fitted = cutTo(cell, widths[column] ?? 0, widthOf)
        const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(fitted)))
        return isNumber[column] ? space + style(fitted) : style(fitted) + space
      })
      .join(SEPARATOR)
      .trimEnd()
  const bold = (text: string) => (stdout === null ? text : styleText('bold', text, { stream: stdout }))
  const note = leftOut.length === 0 ? [] : [`No room for: ${leftOut.join(', ')}. Widen the terminal, or use --csv.`]
  return [lineOf(shown, bold), ...cells.map((row) => lineOf(row)), ...note].join('\n')
}

type WidthOf = (text: string) => number

/** Returns the number of columns, from the left, that fit with at least ten characters each. */
function countFitting(
  lines: readonly (readonly string[])[],
  widthOf: WidthOf,
  widthColumns = Number.POSITIVE_INFINITY,
) {
  const [titles = []] = lines
  let room = widthColumns + SEPARATOR.length
  const first = titles.findIndex((_title, column) => {
    const widest = lines.reduce((most, line) => Math.max(most, widthOf(line[column] ?? '')), 0)
    room -= (widest <= WIDEST_TIME ? widest : USEFUL_WIDTH) + SEPARATOR.length
    return room < 0
  })
  return first === -1 ? titles.length : Math.max(1, first)
}

/** Cuts a text that is wider than its column. */
function cutTo(text: string, width: number, widthOf: WidthOf): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  for (const character of text) {
    if (widthOf(cut + character) >= width) break
    cut += character
  }
  return `${cut}…`
}

function truncated(text: string): string {
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH).toWellFormed()}…` : text
}

/** Cuts from the right: the columns are in the order of their importance. */
function columnsOf(
  [titles = [], ...rows]: readonly (readonly string[])[],
  widthOf: WidthOf,
  widthColumns = Number.POSITIVE_INFINITY,
) {
  const whole = titles.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), widthOf(title)),
  )
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
  const hasNumbers = (column: number) => rows.every((row) => /^[\d,.]+$/.test(row[column] ?? ''))
  const isNumber = titles.map((_title, column) => widthColumns !== Number.POSITIVE_INFINITY && hasNumbers(column))
  return { widths, isNumber }
}
