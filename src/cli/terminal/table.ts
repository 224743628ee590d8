import { styleText } from 'node:util'
import type { CommandIo } from './io.ts'
import { printable } from './text.ts'

/** Limits the width of the table, because every row is padded to the longest cell of a column. */
const MAX_CELL_LENGTH = 200

/**
 * Formats rows as columns under titles, without lines. Longer texts are truncated and end in `…`.
 * @param stdout titles are bold if this is a terminal. Null for a file.
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
  for (const row of rows) table.push(row.map((cell) => printable(truncated(cell))))
  const lines = table.toString().split('\n')
  return lines.map((line) => line.trimEnd()).join('\n')
}

function truncated(text: string): string {
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH).toWellFormed()}…` : text
}
