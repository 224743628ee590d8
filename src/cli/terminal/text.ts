/**
 * Stored names come from elsewhere. What a terminal would obey (ESC and CSI sequences, line breaks) or what changes the
 * order of letters on the screen (bidirectional controls) could hide or forge lines.
 */
const OBEYED_BY_TERMINALS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A text for a place within a line: what a terminal would obey is written out, as in `\u001b`. */
export function printable(text: string): string {
  return text.toWellFormed().replace(OBEYED_BY_TERMINALS, escaped)
}

/** Sentences of our own, which may take several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** JSON in one line, safe to look at in a terminal too: JSON itself leaves most of these characters as they are. */
export function printableJson(data: unknown): string {
  return JSON.stringify(data).replace(OBEYED_BY_TERMINALS, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
