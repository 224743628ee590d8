import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of a checkout by their paths. A file that is not text has its size only, as an empty text. */
export type Tree = Map<string, string>

/** Runs git in a folder. @returns its output. @throws if git fails. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Reads the files that git knows, and those that it does not ignore. */
export function readTree(folder: string): Tree {
  const paths = git(folder, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')
  const tree: Tree = new Map()
  for (const path of new Set(paths)) {
    if (path === '' || !existsSync(join(folder, path))) continue
    const text = readFileSync(join(folder, path), 'utf8')
    tree.set(path, text.includes('\0') ? '' : text)
  }
  return tree
}

/** Counts the lines of the TypeScript files below a folder. */
export function countLines(tree: Tree, folder: string): number {
  return [...tree].reduce(
    (sum, [path, text]) => (path.startsWith(folder) && path.endsWith('.ts') ? sum + text.split('\n').length - 1 : sum),
    0,
  )
}
