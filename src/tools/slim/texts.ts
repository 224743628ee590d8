import { basename, dirname, extname, join, normalize } from 'node:path'
import { withoutItems } from './modules.ts'
import { type Gone, shorterPage } from './page.ts'
import type { Part } from './parts.ts'
import { isRow, isTest, withoutTests } from './tests.ts'
import type { Tree } from './tree.ts'

/** Matches a word of a part: a setting as it is, any other word in any case. */
export function wordPattern(word: string): RegExp {
  const text = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![A-Za-z])${text}`, word.includes('_') ? '' : 'i')
}

/** What went, as a page at a path names it. */
function goneFor(page: string, full: Tree, tree: Tree, words: readonly RegExp[], folders: ReadonlySet<string>): Gone {
  const isGone = (path: string) => (full.has(path) && !tree.has(path)) || folders.has(path)
  return {
    names: (text) =>
      words.some((word) => word.test(text)) ||
      [...text.matchAll(/\]\(([^)#\s]+)/g)].some(([, to = '']) =>
        isGone(normalize(join(dirname(page), to)).replace(/\/$/, '')),
      ) ||
      [...text.matchAll(/(?:src|test|views|public)\/[\w./-]*\w/g)].some(([path]) => isGone(path)),
    withoutTests: (row) =>
      row
        .replace(/`([\w./-]+\.ts)` "([^"]+)"/g, (whole, path: string, title: string) => {
          const [before, after] = [full, tree].map((files) => files.get(`test/${path}`)?.includes(title))
          return before && !after ? '\0' : whole
        })
        .replace(/ \(\0(?:, \0)*\)|\0(?:, |\. )|, \0|\0/g, ''),
  }
}

/** Removes from the code or the other texts of a slim tree what names the removed parts: items of lists, blocks of pages. */
export function slimTexts(full: Tree, tree: Tree, removed: readonly Part[], of: 'code' | 'texts'): void {
  const words = removed.flatMap((part) => part.words.map(wordPattern))
  const keys = new Set(removed.flatMap(({ folder, words: own }) => [basename(folder), ...own]))
  const folders = foldersOf(full)
  for (const folder of foldersOf(tree)) folders.delete(folder)
  // A folder of parts is the place of later parts too, unless it is a part itself.
  const ofParts = new Set(removed.map(({ folder }) => folder))
  for (const folder of ofParts) if (!ofParts.has(dirname(folder))) folders.delete(dirname(folder))
  for (const [path, text] of tree) {
    if ((extname(path) === '.ts') !== (of === 'code')) continue
    if (/(?:^|[/.])part\.json$/.test(path) || /^package(?:-lock)?\.json$/.test(path)) continue
    const left = shorter(path, text, goneFor(path, full, tree, words, folders), keys)
    if (left === '' && text !== '') tree.delete(path)
    else if (left !== text) tree.set(path, left)
  }
}

function foldersOf(tree: Tree): Set<string> {
  const folders = new Set<string>()
  for (const path of tree.keys())
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder)
  return folders
}

function shorter(path: string, text: string, gone: Gone, keys: ReadonlySet<string>): string {
  switch (extname(path)) {
    case '.md':
      return shorterPage(text, gone)
    case '.ts':
      return gone.names(text) ? shorterCode(path, text, gone) : text
    case '.ejs':
      return text
        .split('\n')
        .filter((line) => !line.includes('include(') || !gone.names(line))
        .join('\n')
    case '.json':
      return gone.names(text) || path.startsWith('views/')
        ? `${JSON.stringify(shorterJson(JSON.parse(text), gone, keys), null, 2)}\n`
        : text
    case '.example':
      return shorterSettings(text, gone)
    default:
      return /\.ya?ml$|^\./.test(basename(path)) ? shorterYaml(text, gone) : text
  }
}

/** Removes strings from an array on one line. */
function withoutStrings(line: string, gone: Gone): string {
  return line.replace(/(?<=\[|, )'[^']*'(?:, |(?=\]))/g, (item) => (gone.names(item) ? '' : item)).replace(/, \]/g, ']')
}

/** Removes items of lists, and tests. */
function shorterCode(path: string, text: string, gone: Gone): string {
  // In the app, only plain strings: settings and examples. Everything else is named by an import.
  const isGone = (line: string) => {
    if (!path.startsWith('test/') && !/^\s*(?:'[^']*'|`[^`]*`),/.test(line)) return false
    // A row of a table of paths is about its first path.
    const [row] = /^\s*'(?:src|test)\/[^']*'(?=:)/.exec(line) ?? [line.replace(/\/\/ .*/, '')]
    return gone.names(row)
  }
  const listed = text
    .split('\n')
    .map((line) => (/^\s*(?:'[^']+'|\w+|\.\.\.)(?:: )?\[.*\],?$/.test(line) ? withoutStrings(line, gone) : line))
    .join('\n')
  const left = withoutItems(listed, { test: isGone }, isTest(path) ? isRow : undefined)
  return isTest(path) ? withoutTests(left, (line) => gone.names(line)) : left
}

const isEmptyIn = (item: unknown) =>
  typeof item === 'object' && item !== null && Object.values(item).some((one) => Array.isArray(one) && one.length === 0)

/** Removes the keys with the names of parts at the top, texts under a word of a part, and items of lists that name what went. */
function shorterJson(value: unknown, gone: Gone, keys: ReadonlySet<string>): unknown {
  const isNamed = (item: unknown) => gone.names(JSON.stringify(item))
  const isEmptied = (before: unknown, after: unknown) => isEmptyIn(after) && !isEmptyIn(before)
  const prune = (item: unknown): unknown => {
    if (Array.isArray(item))
      return item.map(prune).filter((one, index) => !isNamed(one) && !isEmptied(item[index], one))
    if (typeof item !== 'object' || item === null) return item
    const left = Object.entries(item).filter(([key, one]) => typeof one !== 'string' || !keys.has(key))
    return Object.fromEntries(left.map(([key, one]) => [key, prune(one)]))
  }
  const left = prune(value)
  if (Array.isArray(left) || typeof left !== 'object' || left === null) return left
  return Object.fromEntries(Object.entries(left).filter(([key]) => !keys.has(key)))
}

/** Removes the settings that went. A comment goes with the settings below it, or alone if it names what went. */
function shorterSettings(text: string, gone: Gone): string {
  const isSetting = (line: string) => /^#?[A-Z][A-Z0-9_]*=/.test(line)
  const blocks = text
    .trimEnd()
    .split('\n\n')
    .flatMap((block) => {
      const lines = block.split('\n')
      const left = lines.filter((line) => !isSetting(line) || !gone.names(line))
      return left.some(isSetting) || !(lines.some(isSetting) || gone.names(block)) ? left.join('\n') : []
    })
  return `${blocks.join('\n\n')}\n`
}

const indentOf = (line = '') => (line.trim() === '' ? 0 : line.length - line.trimStart().length)

/** Removes the keys and items that name what went, with the lines below and the comment above. */
function shorterYaml(text: string, gone: Gone): string {
  const lines = text.split('\n')
  const left: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    let to = index + 1
    while (to < lines.length && lines[to] !== '' && indentOf(lines[to]) > indentOf(line)) to++
    const isLeaf = /^\s*- \w+: /.test(line) && !lines.slice(index + 1, to).some((other) => /^\s*- \w+: /.test(other))
    // A setting that is passed on, as in `NAME: ${NAME:-}`, counts as `NAME=`.
    const passed = line.replace(/(?<=^\s+[A-Z_]+): \$\{/, '=${')
    const shorter = line.replace(/(?<=\[|, )[\w-]+(?:, |(?=\]))/g, (item) => (gone.names(item) ? '' : item))
    if (shorter !== line) left.push(shorter.replace(/, \]/, ']'))
    else if (!gone.names(isLeaf ? lines.slice(index, to).join('\n') : `${line}\n${passed}`)) left.push(line)
    else {
      while (/^\s*#/.test(left.at(-1) ?? '')) left.pop()
      index = to - 1
    }
  }
  return withoutEmptyKeys(lines, left).join('\n')
}

/** Removes the keys whose children all went. */
function withoutEmptyKeys(before: readonly string[], left: readonly string[]): string[] {
  const isEmpty = (lines: readonly string[], index: number) =>
    /^\s*[\w-]+:$/.test(lines[index] ?? '') && indentOf(lines[index + 1]) <= indentOf(lines[index])
  const wasEmpty = new Set(before.filter((_line, index) => isEmpty(before, index)))
  return left.filter((line, index) => !isEmpty(left, index) || wasEmpty.has(line))
}
