import { once } from 'node:events'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import type { CommandIo } from './io.ts'
import { wholeNumber } from './option-values.ts'
import { printable, printableJson } from './text.ts'

/** A table stays in memory, because the widths of its columns depend on all rows. */
export const MOST_TABLE_ROWS = 1_000
/** Limits the width of the table, because every row is padded to the longest cell of a column. */
const MAX_CELL_LENGTH = 200
/** Stands between two columns. */
export const SEPARATOR = '  '

/**
 * Formats rows as columns under titles, without lines. Texts of more than 200 characters are truncated and end in `…`.
 * @param stdout titles are bold if this is a terminal. Null for a file.
 */
export async function textTable(
  stdout: CommandIo['stdout'] | null,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  const { default: widthOf } = await import('fast-string-width')
  const cells = rows.map((row) => row.map(printableCell))
  const widths = titles.map((_title, column) =>
    [titles, ...cells].reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  )
  const lineOf = (row: readonly string[], style = (text: string) => text) =>
    row
      .map((cell, column) => style(cell) + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join(SEPARATOR)
      .trimEnd()
  const bold = (text: string) => (stdout === null ? text : styleText('bold', text, { stream: stdout }))
  return [lineOf(titles, bold), ...cells.map((row) => lineOf(row))].join('\n')
}

/** Returns a cell that stays in its line. */
export function printableCell(text: string): string {
  return printable(text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH).toWellFormed()}…` : text)
}

/** Adds `--limit` for the rows of a list. @param rows their name in the help, such as `viewers`. */
export function addLimitOption(command: Command, rows: string): Command {
  const about = `the highest number of ${rows} (default: ${MOST_TABLE_ROWS} in a table, all in JSON)`
  return command.option('--limit <N>', about, wholeNumber(1, 999_999))
}

/** Writes a JSON array with one row per line while it reads the rows, which may be larger than the memory. */
export async function writeJsonArray(
  stdout: CommandIo['stdout'],
  rows: Iterable<object> | AsyncIterable<object>,
): Promise<void> {
  let begin = '['
  for await (const row of rows) {
    const isWritten = stdout.write(`${begin}\n${printableJson(row)}`)
    if (!isWritten) await once(stdout, 'drain')
    begin = ','
  }
  stdout.write(begin === '[' ? '[]\n' : '\n]\n')
}
