import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { countLines, type Tree } from '../../../src/tools/slim/tree.ts'

interface Budget {
  /** The most lines of src that each typical fork may have, by the parts that it keeps. */
  readonly forks: Readonly<Record<string, number>>
  /** The most lines of the kit, by what is counted. */
  readonly lines: Readonly<Record<string, number>>
}

export const BUDGET: Budget = JSON.parse(readFileSync(join(import.meta.dirname, 'budget.json'), 'utf8'))

/**
 * Counts the lines of TypeScript. Helpers are the files of test/ without tests of their own: a `-contract.ts` has the tests that
 * each store runs. The benchmark does not count.
 */
export function lineCounts(tree: Tree): { what: string; lines: number; most: number }[] {
  const isHelper = (path: string) => !/(?:\.test|-contract)\.ts$/.test(path) && !path.startsWith('test/bench/')
  const helpers: Tree = new Map([...tree].filter(([path]) => isHelper(path)))
  const counts = {
    src: countLines(tree, 'src/'),
    'src/tools': countLines(tree, 'src/tools/'),
    test: countLines(tree, 'test/'),
    'test helpers': countLines(helpers, 'test/'),
  }
  return Object.entries(counts).map(([what, lines]) => ({
    what,
    lines,
    most: BUDGET.lines[what] ?? Number.POSITIVE_INFINITY,
  }))
}
