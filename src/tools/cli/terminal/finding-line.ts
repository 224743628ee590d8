import { styleText } from 'node:util'
import type { CommandIo } from './io.ts'
import { printable, wrapped } from './text.ts'

const COLORS = { ok: 'green', warning: 'yellow', unknown: 'magenta', failure: 'red' } as const
const LEVEL_COLUMNS = 9

/** Formats the result of a check: the level, in its color at a terminal, and the text, in lines as wide as the terminal. */
export function findingLine(level: keyof typeof COLORS, text: string, stdout: CommandIo['stdout']): string {
  const named = styleText(COLORS[level], level.padEnd(LEVEL_COLUMNS - 1), { stream: stdout })
  return `${named} ${wrapped(printable(text), stdout, LEVEL_COLUMNS)}`
}
