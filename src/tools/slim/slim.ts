import { execFileSync } from 'node:child_process'
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { slimManifest } from './packages.ts'
import { partsBrought, partsToRemove, readParts } from './parts.ts'
import { slimTree } from './slim-tree.ts'
import { readTree, type Tree } from './tree.ts'

const BIOME = join(import.meta.dirname, '../../../node_modules/@biomejs/biome/bin/biome')

export type Slimmed = ReturnType<typeof slimmed>

/**
 * Finds what is left of a checkout without the parts that nobody keeps. Changes nothing.
 * @returns `tree`, which is not formatted yet, `brought`, the parts that stay only because others need them, and `seams`,
 *   the code that still uses what went, as `file: name`.
 * @throws WrongChoice if these parts cannot be kept alone.
 */
export function slimmed(folder: string, keep: readonly string[]) {
  const full = readTree(folder)
  const parts = readParts(full)
  const removed = partsToRemove(parts, keep)
  const brought = partsBrought(parts, keep)
  const { tree, seams } = slimTree(full, removed)
  tree.set('package.json', slimManifest(full, tree, [...keep, ...brought.map(({ part }) => part.name)]))
  return { full, tree, removed, brought, seams }
}

/** Writes what is left to the checkout, formats it, and updates package-lock.json. */
export function write(folder: string, { full, tree }: Slimmed): void {
  for (const path of full.keys()) if (!tree.has(path)) remove(folder, path)
  const changed = [...tree].filter(([path, text]) => full.get(path) !== text)
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const formatted = changed.map(([path]) => path).filter((path) => /\.(?:ts|js|json)$/.test(path))
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: folder, stdio: 'pipe' })
  if (formatted.length === 0) return
  const biome = (...args: string[]) => run(process.execPath, BIOME, ...args, '--no-errors-on-unmatched', ...formatted)
  biome('lint', '--write', '--unsafe', '--only=style/useImportType')
  biome('check', '--write', '--linter-enabled=false')
  // Packages only go, so npm asks no registry. npm takes longer than all else.
  if (isDeepStrictEqual(packagesIn(full), packagesIn(tree))) return
  run('npm', 'install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund')
}

function packagesIn(tree: Tree): unknown {
  const { dependencies, devDependencies } = JSON.parse(tree.get('package.json') ?? '{}')
  return { dependencies, devDependencies }
}

/** Removes a file, and its folders that are empty then. */
function remove(folder: string, path: string): void {
  rmSync(join(folder, path))
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    try {
      rmdirSync(join(folder, parent))
    } catch {
      return
    }
  }
}
