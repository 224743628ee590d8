const TEST = /^\s*(?:test|describe)(?:\.\w+)*[(`]/
const SINGLE = /^\s*test(?:\.\w+)*[(`]/m
const indentOf = (line: string) => line.length - line.trimStart().length

/** True for files of tests, and of contracts that several files of tests run. */
export const isTest = (path: string) => /^test\/.*(?:\.test|-contract)\.ts$/.test(path)

/** Removes the smallest tests around the lines that name what went. A file without a test has no text. */
export function withoutTests(text: string, isGone: (line: string) => boolean): string {
  const lines = text.split('\n')
  for (let index = lines.length - 1; index >= 0; index--) {
    // A table without a row has no test.
    const isEmpty = /\.each\(\[$/.test(lines[index] ?? '') && /^\s*\]/.test(lines[index + 1] ?? '')
    if (!isEmpty && !isGone(lines[index] ?? '')) continue
    const from = startOf(lines, index)
    if (from === null) continue
    const indent = indentOf(lines[from] ?? '')
    const isInside = (line: string) => line === '' || indentOf(line) > indent || /^\s*[)}\]]/.test(line)
    let to = from
    while (
      to + 1 < lines.length &&
      isInside(lines[to + 1] ?? '') &&
      indentOf(lines[to + 1] || ' '.repeat(indent)) >= indent
    )
      to++
    while (lines[to] === '') to--
    if (to < index) continue
    let comment = from
    while (/^\s*(?:\/\/|\/?\*)/.test(lines[comment - 1] ?? '')) comment--
    lines.splice(comment, to - comment + 1)
    index = comment
  }
  const left = lines.join('\n').replace(/\n{3,}/g, '\n\n')
  return SINGLE.test(left) ? left : ''
}

/** True for a line in a table of tests, or outside tests. What a test itself names, it needs. */
export function isRow(lines: readonly string[], index: number): boolean {
  const from = startOf(lines, index)
  if (from === null) return true
  return (
    /\.each\(\[?$/.test(lines[from] ?? '') &&
    !lines.slice(from, index).some((line) => /^\s*\] ?(?:as const)?\)\(/.test(line))
  )
}

/** The line where the innermost test or group around a line begins. */
function startOf(lines: readonly string[], index: number): number | null {
  let indent = Number.POSITIVE_INFINITY
  for (let line = index; line >= 0; line--) {
    const text = lines[line] ?? ''
    if (text === '' || (line !== index && indentOf(text) > indent)) continue
    if (TEST.test(text) && (line === index || indentOf(text) <= indent)) return line
    indent = Math.min(indent, indentOf(text))
    if (indent === 0 && !/^[)}\]]/.test(text)) return null
  }
  return null
}
