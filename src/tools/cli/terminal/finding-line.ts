import { styleText } from 'node:util'
import type { CommandIo } from './io.ts'
import { printable } from './text.ts'

const COLOURS = { ok: 'green', warning: 'yellow', unknown: 'magenta', failure: 'red' } as const

/** Formats the result of a check as one line: the level, in its colour at a terminal, and the text. */
export function findingLine(level: keyof typeof COLOURS, text: string, stdout: CommandIo['stdout']): string {
  return `${styleText(COLOURS[level], level.padEnd(8), { stream: stdout })} ${printable(text)}`
}
