import { Help } from 'commander'
import type { CommandIo } from './io.ts'

/**
 * Control characters, line breaks and bidirectional controls. In names from other systems they could hide or forge
 * lines at a terminal.
 */
const TERMINAL_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Escapes the control characters of a text within a line, as in `\u001b`. */
export function printable(text: string): string {
  return text.toWellFormed().replace(TERMINAL_CONTROLS, escaped)
}

/** Escapes control characters but keeps line breaks. For messages of this program only. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** As printableLines(), with sentences in lines as wide as the terminal. Indented lines, such as commands, stay whole. */
export function printableParagraphs(text: string, stdout: CommandIo['stdout']): string {
  const lines = printableLines(text).split('\n')
  return lines.map((line) => (line.startsWith(' ') ? line : wrapped(line, stdout))).join('\n')
}

/**
 * Breaks a text at words, as wide as the terminal. A log file keeps the text in one line.
 * @param indentColumns the column in which each line begins.
 */
export function wrapped(text: string, { isTTY, columns }: CommandIo['stdout'], indentColumns = 0): string {
  if (isTTY !== true || columns === undefined) return text
  return new Help().boxWrap(text, columns - indentColumns).replaceAll('\n', `\n${' '.repeat(indentColumns)}`)
}

/** Returns a number with its noun: "1 row", "1,000 rows". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns a UNIX time as ISO 8601, in UTC. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** Formats JSON in one line and escapes the control characters that JSON itself leaves as they are. */
export function printableJson(data: unknown): string {
  return JSON.stringify(data).replace(TERMINAL_CONTROLS, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
