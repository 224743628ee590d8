import { dirname, extname, join, normalize } from 'node:path'
import type { Tree } from './tree.ts'

const STATEMENT = /^(?:import|export) (?:type )?([^'"();=]*?)(?:from )?'([^']+)'(?: with \{[^}]*\})?\n/gm
const LATE = /import\(\s*'(\.[^']+)'\s*\)/g
const ADDRESS = /new URL\(\s*'([^']+\.(?:ts|js|cjs|mjs))',\s*import\.meta\.url\s*\)/g
const isCode = (path: string) => ['.ts', '.js', '.cjs', '.mjs'].includes(extname(path))

/** The import statements and re-exports of a file, with the names that each brings in. It reads formatted code. */
export function importStatements(text: string): { text: string; address: string; names: string[] }[] {
  return [...text.matchAll(STATEMENT)].map(([statement, clause = '', address = '']) => ({
    text: statement,
    address,
    names: clause
      .replace(/[{}]|\btype (?=[\w$])/g, ' ')
      .split(',')
      .flatMap((item) => item.trim().split(' as ').at(-1) || []),
  }))
}

/** Finds what a file imports from the project, also late. `text` is the whole statement, or the expression of a late import. */
export function importsOf(path: string, text: string) {
  if (!isCode(path)) return []
  const target = (address: string) => normalize(join(dirname(path), address))
  return [
    ...importStatements(text)
      .filter(({ address }) => address.startsWith('.'))
      .map((statement) => ({ ...statement, target: target(statement.address), isLate: false })),
    ...[...text.matchAll(LATE), ...text.matchAll(ADDRESS)].map(([late, address = '']) => ({
      text: late,
      target: target(address),
      names: [],
      isLate: true,
    })),
  ]
}

/** The files that the given files import, and theirs, and so on, with the given files. */
export function reachable(tree: Tree, from: readonly string[]): Set<string> {
  const found = new Set<string>()
  const open = [...from]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const text = tree.get(path)
    if (found.has(path) || text === undefined) continue
    found.add(path)
    open.push(...importsOf(path, text).map(({ target }) => target))
  }
  return found
}

const indentOf = (line: string) => line.length - line.trimStart().length
const isComment = (line: string) => /^\s*(?:\/\/|\/?\*)/.test(line)

/**
 * The lines of the list item with a given line: those of a whole array element or of one property.
 * @returns null if the line is not in a list.
 */
function itemAt(lines: readonly string[], index: number, inTest: boolean): { from: number; to: number } | null {
  const line = lines[index] ?? ''
  const indent = indentOf(line)
  let opener = index - 1
  while (opener >= 0 && (lines[opener]?.trim() === '' || indentOf(lines[opener] ?? '') >= indent)) opener--
  const opening = lines[opener] ?? ''
  const isMethod = inTest && /^\s+async \w+\(\) \{$/.test(opening)
  if (isMethod || /^\s*[[{]$/.test(opening)) return itemAt(lines, opener, inTest)
  if (/^\s*\| /.test(line) && !line.endsWith(',')) return { from: index, to: index }
  const isMember = /^(?:export )?interface .*\{$/.test(opening) && !line.endsWith('{')
  if (!isMember && !/(?:\[|[=:(] ?\{|return \{)$/.test(opening)) return null
  let to = index
  while (!isMember && !(indentOf(lines[to] ?? '') === indent && /,(?: \/\/.*)?$/.test(lines[to] ?? ''))) {
    if (++to >= lines.length || indentOf(lines[to] ?? '') < indent) return null
  }
  let from = index
  while (isComment(lines[from - 1] ?? '')) from--
  return { from, to }
}

/**
 * Removes a name from the lists on one line: `[a, name, ...b]`, `A | Name`, `A & Name` and `A & Partial<Name>`. The places of
 * `const [a, b] =` stay.
 */
function withoutInlineItem(line: string, { source: name }: RegExp): string {
  if (/^\s*const \[/.test(line)) return line
  const item = new RegExp(`^(?:\\.\\.\\.)?${name}(?:\\.[\\w.]+|\\(.*\\))?$`)
  return line
    .replace(/(?<![\w)\]])\[([^[\]]*)\]/g, (list, items: string) => {
      const left = items.split(', ').filter((one) => !item.test(one))
      return left.length === items.split(', ').length ? list : `[${left.join(', ')}]`
    })
    .replace(new RegExp(` [|&] (?:Partial<${name}>|${name}(?:<\\w+>)?(?!['.(<]))|${name} [|&] `, 'g'), '')
}

/** Removes the items of lists that name what a file does not have any more. Other code with that name stays. */
export function withoutItems(
  text: string,
  name: Pick<RegExp, 'test'>,
  mayGo: (lines: readonly string[], index: number) => boolean = () => true,
  inTest = false,
): string {
  const lines = text.split('\n')
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] ?? ''
    if (isComment(line) || !name.test(line) || !mayGo(lines, index)) continue
    const isRow = /^\s*\[.*\],$/.test(line)
    const shorter = name instanceof RegExp && !isRow ? withoutInlineItem(line, name) : line
    const item = shorter === line ? itemAt(lines, index, inTest) : null
    lines[index] = shorter
    if (item) lines.splice(item.from, item.to - item.from + 1)
  }
  return lines.join('\n')
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** Matches a name in code, but not as the key of a property, nor after a dot. A `case` is no key. */
export const wordOf = (name: string) =>
  new RegExp(`(?<![\\w$']|\\w-|(?<!\\.\\.)\\.)${escaped(name)}(?![\\w$'-]|(?<!case ${escaped(name)})\\??:)`)

/** Removes the imports of files that are not there, and the items of lists with what they brought in. */
export function withoutMissingImports(path: string, text: string, isThere: (path: string) => boolean): string {
  let left = text
  const missing = importsOf(path, text).filter(({ target }) => !isThere(target))
  for (const found of missing) {
    if (!found.isLate) left = left.replace(found.text, '')
  }
  for (const found of missing) {
    if (found.isLate) left = withoutItems(left, nameOf(found.text))
    else for (const name of found.names) left = withoutItems(left, wordOf(name), undefined, path.startsWith('test/'))
  }
  return left
}

/** Matches a name, or the expression of a late import. */
export const nameOf = (name: string) => (name.includes('(') ? new RegExp(escaped(name)) : wordOf(name))

/** The names of missing files that code still uses, for the person to mend. */
export function leftNames(path: string, before: string, text: string, isThere: (path: string) => boolean): string[] {
  const code = text.split('\n').filter((line) => !isComment(line))
  return importsOf(path, before)
    .filter(({ target }) => !isThere(target))
    .flatMap((found) => (found.isLate ? [found.text] : found.names))
    .filter((name) => code.some((line) => nameOf(name).test(line)))
}
