import { styleText } from 'node:util'
import type { CommandIo } from './io.ts'
import { printable } from './text.ts'

/** Each row is padded to the longest cell of each column. */
const MOST_CELL_LETTERS = 200

/**
 * Columns under titles, without lines: for people, and for programs that cut columns. Longer texts end in `…`.
 * @param stdout where the titles are bold if it is a terminal; null for a file.
 */
export async function textTable(
  stdout: CommandIo['stdout'] | null,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  const { default: Table } = await import('cli-table3')
  // biome-ignore format: one line a row
  const noLines = {
    top: '', 'top-mid': '', 'top-left': '', 'top-right': '',
    bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '',
    left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ',
  }
  const head = titles.map((title) => (stdout === null ? title : styleText('bold', title, { stream: stdout })))
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 }
  const table = new Table({ head, chars: noLines, style })
  for (const row of rows) table.push(row.map((cell) => printable(shortened(cell))))
  const lines = table.toString().split('\n')
  return lines.map((line) => line.trimEnd()).join('\n')
}

function shortened(text: string): string {
  return text.length > MOST_CELL_LETTERS ? `${text.slice(0, MOST_CELL_LETTERS).toWellFormed()}…` : text
}
