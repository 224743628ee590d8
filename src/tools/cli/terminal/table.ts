import { styleText } from 'node:util'
import type { CommandIo } from './io.ts'
import { printable } from './text.ts'

/** A table stays in memory, because the widths of its columns depend on all rows. */
export const MOST_TABLE_ROWS = 1_000
/** Limits the width of the table, because every row is padded to the longest cell of a column. */
const MAX_CELL_LENGTH = 200
const SEPARATOR = '  '
/** Texts are cut down to each of these widths, until the table fits. */
const LEAST_WIDTHS = [32, 10, 4]
const WIDEST_TIME = '25 Oct 2025 18:03'.length
/** Characters that take two columns of a terminal. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\u3000-\u303f\uff00-\uff60]/u

/**
 * Formats rows as columns under titles, without lines. Longer texts are truncated and end in `…`.
 * @param stdout titles are bold if this is a terminal. Null for a file.
 * @param widthColumns width of the terminal. Long texts are truncated until each row fits. Numbers are
 * right-aligned. Left out, all texts are whole up to 200 characters.
 */
export async function textTable(
  stdout: CommandIo['stdout'] | null,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  widthColumns?: number,
): Promise<string> {
  const { default: Table } = await import('cli-table3')
  // biome-ignore format: one line a row
  const noLines = {
    top: '', 'top-mid': '', 'top-left': '', 'top-right': '',
    bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '',
    left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: SEPARATOR,
  }
  const head = titles.map((title) => (stdout === null ? title : styleText('bold', title, { stream: stdout })))
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 }
  const cells = rows.map((row) => row.map((cell) => printable(truncated(cell))))
  const fit = widthColumns === undefined ? {} : fittedColumns([titles, ...cells], widthColumns)
  const table = new Table({ head, chars: noLines, style, ...fit })
  for (const row of cells) table.push(row)
  const lines = table.toString().split('\n')
  return lines.map((line) => line.trimEnd()).join('\n')
}

function truncated(text: string): string {
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH).toWellFormed()}…` : text
}

/** Cuts from the right: the columns of a report are in the order of their importance. */
function fittedColumns([titles = [], ...rows]: readonly (readonly string[])[], widthColumns: number) {
  const whole = titles.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, terminalWidth(row[column] ?? '')), terminalWidth(title)),
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
  return {
    // A column without a width is as wide as its longest text.
    colWidths: widths.map((width, column) => (width === whole[column] ? null : width)),
    colAligns: titles.map((_title, column) =>
      rows.every((row) => /^[\d,.]+$/.test(row[column] ?? '')) ? ('right' as const) : ('left' as const),
    ),
  }
}

function terminalWidth(text: string): number {
  let width = 0
  for (const character of text) width += WIDE.test(character) ? 2 : 1
  return width
}
