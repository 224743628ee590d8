import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFork } from '../../asvs/guards.ts'
import { ROOT } from './copy.ts'
import { BUDGET, lineCounts } from './lines.ts'

test('the kit has no more lines than its budget', () => {
  const paths = globSync('{src,test}/**/*.ts', { cwd: ROOT })
  const counts = lineCounts(new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])))
  expect(counts.map(({ what }) => what)).toEqual(expect.arrayContaining(Object.keys(BUDGET.lines)))
  // A fork has a budget of its own.
  expect(isFork ? [] : counts.filter(({ lines, most }) => lines > most)).toEqual([])
})
