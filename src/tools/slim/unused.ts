import { importStatements, importsOf, wordOf } from './modules.ts'
import type { Tree } from './tree.ts'

const DECLARATION =
  /^(export )?(?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) ([\w$]+)/

/** Finds the statements at the top of a file: formatted code indents everything inside them. */
function statementsOf(lines: readonly string[]) {
  return lines.flatMap((line, index) => {
    const [, exported, name] = DECLARATION.exec(line) ?? []
    if (name === undefined) return []
    let to = index
    while (to + 1 < lines.length && /^(?:[\s)}\]]|$)/.test(lines[to + 1] ?? '')) {
      if (lines[to + 1] === '' && /^(?:[^\s)}\]]|$)/.test(lines[to + 2] ?? '')) break
      to++
    }
    let from = index
    while (/^(?:\/\/|\/\*| \*)/.test(lines[from - 1] ?? '')) from--
    return [{ name, isExported: exported !== undefined, from, to }]
  })
}

/** The code without comments and plain strings. */
const codeOf = (lines: readonly string[]) =>
  lines
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .map((line) => (/[`/]/.test(line) ? line : line.replace(/'(?:[^'\\]|\\.)*'/g, "''")))
    .join('\n')

/** The imports of each file. Of a late import, the whole importing file, since it names there what it uses. */
function importersOf(tree: Tree): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const [path, text] of tree) {
    for (const { target, text: statement, isLate } of importsOf(path, text)) {
      const texts = importers.get(target) ?? []
      // The name after a late import is not that of a property: `(await import('./x.ts')).name`.
      importers.set(target, [...texts, isLate ? text.replaceAll(')).', ')) ') : statement])
    }
  }
  return importers
}

/** The names of a file that nothing uses: `export` where only other files do not, `all` where its own file does not either. */
function unusedIn(text: string, importers: readonly string[]): Map<string, 'export' | 'all'> {
  const lines = text.split('\n')
  const unused = new Map<string, 'export' | 'all'>()
  for (const { name, isExported, from, to } of statementsOf(lines)) {
    const word = wordOf(name)
    if (isExported && importers.some((importer) => word.test(importer))) continue
    const isUsedHere = word.test(codeOf([...lines.slice(0, from), ...lines.slice(to + 1)]))
    if (!isUsedHere) unused.set(name, 'all')
    else if (isExported) unused.set(name, 'export')
  }
  return unused
}

export type Unused = ReadonlyMap<string, ReadonlyMap<string, 'export' | 'all'>>

export function unusedNames(tree: Tree): Unused {
  const importers = importersOf(tree)
  return new Map(
    [...tree]
      .filter(([path]) => /^(?:src|test)\/.*\.ts$/.test(path))
      .map(([path, text]) => [path, unusedIn(text, importers.get(path) ?? [])]),
  )
}

/** Removes what nothing uses any more, but what nothing used before. @returns the changed files. */
export function withoutUnused(tree: Tree, before: Unused): Tree {
  const changed: Tree = new Map()
  for (const [path, names] of unusedNames(tree)) {
    const text = tree.get(path) ?? ''
    const lines = text.split('\n')
    for (const { name, from, to } of statementsOf(lines).reverse()) {
      const what = names.get(name)
      if (what === undefined || before.get(path)?.get(name) === what) continue
      if (what === 'all') lines.splice(from, to - from + (lines[to + 1] === '' ? 2 : 1))
      else if (!/^export (?:interface|type) /m.test(lines.slice(from, to + 1).join('\n'))) {
        for (let index = from; index <= to; index++) lines[index] = lines[index]?.replace(/^export /, '') ?? ''
      }
    }
    const left = withoutUnusedImports(lines.join('\n'))
    if (left !== text) changed.set(path, left)
  }
  return changed
}

function withoutUnusedImports(text: string): string {
  const code = codeOf(text.replace(/^import [^'"();=]*from '[^']+'.*\n/gm, '').split('\n'))
  return importStatements(text).reduce((left, { text: statement, names }) => {
    if (!statement.startsWith('import ') || names.length === 0) return left
    const unused = names.filter((name) => !wordOf(name).test(code))
    if (unused.length === 0) return left
    if (unused.length === names.length) return left.replace(statement, '')
    const shorter = unused.reduce(
      (clause, name) => clause.replace(new RegExp(`(?:type )?(?:[\\w$]+ as )?(?<![\\w$])${name}(?![\\w$]),?\\s*`), ''),
      statement,
    )
    return left.replace(statement, shorter)
  }, text)
}
