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
    const to = endOf(lines, from)
    if (to < index) continue
    let comment = from
    while (/^\s*(?:\/\/|\/?\*)/.test(lines[comment - 1] ?? '')) comment--
    lines.splice(comment, to - comment + 1)
    index = comment
  }
  withoutEmptyGroups(text.split('\n'), lines)
  const left = lines.join('\n').replace(/\n{3,}/g, '\n\n')
  return SINGLE.test(left) ? left : ''
}

/** The last line of the test or group that begins at a line. */
function endOf(lines: readonly string[], from: number): number {
  const indent = indentOf(lines[from] ?? '')
  let to = from
  for (let next = lines[to + 1]; next !== undefined; next = lines[to + 1]) {
    const isInside = next === '' || indentOf(next) > indent || (indentOf(next) === indent && /^\s*[)}\]]/.test(next))
    if (!isInside) break
    to++
  }
  while (lines[to] === '') to--
  return to
}

/** Removes the groups that have lost all their tests. */
function withoutEmptyGroups(before: readonly string[], lines: string[]): void {
  const hasTest = (all: readonly string[], from: number) =>
    all.slice(from, endOf(all, from) + 1).some((line) => SINGLE.test(line))
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] ?? ''
    if (!/^\s*describe\(/.test(line) || hasTest(lines, index) || !hasTest(before, before.indexOf(line))) continue
    let from = index
    while (/^\s*(?:\/\/|\/?\*)/.test(lines[from - 1] ?? '')) from--
    lines.splice(from, endOf(lines, index) - from + 1)
  }
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
