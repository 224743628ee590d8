import type { TextLine } from './text-lines.ts'

export type CsvRecord =
  | { readonly line: number; readonly bytesRead: number; readonly ok: true; readonly cells: readonly string[] }
  | { readonly line: number; readonly bytesRead: number; readonly ok: false; readonly fault: string }

/** A cell in quotation marks may hold line ends; a mark that is never closed must not swallow the file. */
const LONGEST_RECORD = 65_536

/**
 * The records of a CSV file (RFC 4180), the header first. Cells are separated by commas, semicolons or tabs, whichever
 * the header has most of. Blank lines are left out; a record that cannot be read is told by its first line, and the
 * next line begins a new one.
 */
export function* csvRecords(lines: Iterable<TextLine>): Generator<CsvRecord> {
  const waiting: TextLine[] = []
  const source = lines[Symbol.iterator]()
  const next = (): TextLine | undefined => waiting.shift() ?? (source.next().value as TextLine | undefined)
  let readCells: ((text: string) => string[] | null) | undefined
  for (let first = next(); first; first = next()) {
    if (first.text.trim() === '') continue
    const { text, taken } = joinedToLastMark(first, next)
    readCells ??= cellReader(separatorOf(text))
    const cells = readCells(text)
    const { line, bytesRead } = first
    if (cells) {
      yield { line, bytesRead, ok: true, cells }
    } else {
      waiting.unshift(...taken)
      yield { line, bytesRead, ok: false, fault: 'has a quotation mark that is not closed, or stands inside a cell' }
    }
  }
}

/** A line and those after it, until every quotation mark has its partner or it is clear that one has none. */
function joinedToLastMark(
  first: TextLine,
  next: () => TextLine | undefined,
): { text: string; taken: readonly TextLine[] } {
  const taken: TextLine[] = []
  let text = first.text
  let isPaired = hasPairedMarks(text)
  while (!isPaired && text.length <= LONGEST_RECORD) {
    const more = next()
    if (!more) break
    taken.push(more)
    text += `\n${more.text}`
    if (!hasPairedMarks(more.text)) isPaired = true
  }
  return { text, taken }
}

function hasPairedMarks(text: string): boolean {
  let isPaired = true
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) isPaired = !isPaired
  return isPaired
}

function separatorOf(header: string): string {
  const outsideMarks = header.replaceAll(/"[^"]*"/g, '')
  const counted = [',', ';', '\t'].map((separator) => ({ separator, count: outsideMarks.split(separator).length }))
  return counted.reduce((most, one) => (one.count > most.count ? one : most)).separator
}

function cellReader(separator: string): (text: string) => string[] | null {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}]*))(${separator}|$)`, 'y')
  return function readCells(text) {
    if (!text.includes('"')) return text.split(separator)
    const cells: string[] = []
    cell.lastIndex = 0
    for (;;) {
      const match = cell.exec(text)
      if (!match) return null
      cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
      if (match[3] === '') return cells
    }
  }
}
