import { basename, dirname } from 'node:path'
import { importsOf, leftNames, nameOf, reachable, withoutMissingImports } from './modules.ts'
import { belongsTo, type Part } from './parts.ts'
import { isTest, withoutTests } from './tests.ts'
import { slimTexts } from './texts.ts'
import type { Tree } from './tree.ts'
import { unusedNames, withoutUnused } from './unused.ts'

const isThere = (tree: Tree) => (path: string) => tree.has(path) || !/^(?:src|test)\//.test(path)

/**
 * Removes parts from the code and texts, with the code that only these parts used, and its tests.
 * @returns also the code that still uses what went, as `file: name`.
 */
export function slimTree(full: Tree, removed: readonly Part[]) {
  const tree: Tree = new Map(full)
  const programs = [...full.keys()].filter((path) => /^src\/(?:.*\/)?main\.ts$/.test(path))
  const imported = new Set([...full].flatMap(([path, text]) => importsOf(path, text).map(({ target }) => target)))
  const roots = {
    src: [...programs, ...loadedByFolder(full)],
    test: [...full.keys()].filter(
      (path) => path.startsWith('test/') && (path.endsWith('.test.ts') || !imported.has(path)),
    ),
  }
  const before = { src: reachable(full, roots.src), test: reachable(full, roots.test), unused: unusedNames(full) }
  for (const path of full.keys()) if (removed.some((part) => belongsTo(part, path))) tree.delete(path)
  const removeUnused = () => {
    for (let size = -1; size !== sizeOf(tree); ) {
      size = sizeOf(tree)
      for (const room of ['src', 'test'] as const) {
        removeMissing(full, tree)
        const reached = reachable(tree, roots[room])
        for (const path of tree.keys()) {
          if (path.startsWith(`${room}/`) && before[room].has(path) && !reached.has(path)) tree.delete(path)
        }
      }
      for (const [path, text] of withoutUnused(tree, before.unused)) tree.set(path, text)
    }
  }
  removeUnused()
  removeEmptiedFolders(full, tree)
  slimTexts(full, tree, removed, 'code')
  removeUnused()
  slimTexts(full, tree, removed, 'texts')
  const seams = [...tree].flatMap(([path, text]) =>
    leftNames(path, full.get(path) ?? '', text, isThere(tree)).map((name) => `${path}: ${name}`),
  )
  return { tree, seams }
}

/** Returns the files that `loadParts(import.meta.url, 'NAME')` loads: each `FOLDER/NAME.ts` beside its caller. */
function loadedByFolder(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    const names = [...text.matchAll(/loadParts<\w+>\(import\.meta\.url, '(\w+)'\)/g)].map(([, name]) => `${name}.ts`)
    return [...tree.keys()].filter((file) => {
      return dirname(dirname(file)) === dirname(path) && names.includes(basename(file))
    })
  })
}

const sizeOf = (tree: Tree) => [...tree.values()].reduce((sum, text) => sum + text.length + 1, 0)

/** Removes the imports of missing files, and the tests that cannot do without these files, with what tests share. */
function removeMissing(full: Tree, tree: Tree): void {
  for (let again = true; again; ) {
    again = false
    for (const [path, text] of tree) {
      let left = withoutMissingImports(path, text, isThere(tree))
      const missing = () => leftNames(path, full.get(path) ?? '', left, isThere(tree)).map(nameOf)
      if (path.startsWith('test/') && missing().length > 0) {
        const names = missing()
        if (isTest(path)) left = withoutTests(left, (line) => names.some((name) => name.test(line)))
        if (left === '' || missing().length > 0) {
          tree.delete(path)
          again = true
          continue
        }
      }
      if (left !== text) tree.set(path, left)
    }
  }
}

/** Removes what is left in folders that have lost all their code: READMEs, screens, styles. */
function removeEmptiedFolders(full: Tree, tree: Tree): void {
  const hasCode = (files: Tree) => {
    const folders = new Set<string>()
    for (const path of files.keys()) {
      if (!path.endsWith('.ts')) continue
      for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder))
        folders.add(folder)
    }
    return folders
  }
  const had = hasCode(full)
  const has = hasCode(tree)
  for (const path of tree.keys()) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (had.has(folder) && !has.has(folder)) tree.delete(path)
    }
  }
}
