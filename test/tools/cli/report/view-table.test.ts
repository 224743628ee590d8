import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createViewTable } from '../../../../src/tools/cli/report/page/view-table.ts'

const names = fc.constantFrom('a', 'b', 'B', 'ä', '__proto__', '', '1', '😀')
const view = fc.record({
  viewer: fc.option(names),
  device: fc.option(names),
  content: names,
  country: names,
  city: names,
  system: names,
  browser: names,
  isMobile: fc.boolean(),
  isRunning: fc.boolean(),
  layer: fc.constantFrom(0, 1),
  fromMs: fc.nat({ max: 100 }),
  length: fc.nat({ max: 50 }),
} as const)

test('lists, sums and their order agree with a plain count', () => {
  fc.assert(
    fc.property(fc.array(view, { maxLength: 60 }), (given) => {
      using database = new DatabaseSync('')
      const table = createViewTable(database)
      for (const { length, ...one } of given) table.add({ ...one, toMs: one.fromMs + length })
      const msOf = (some: typeof given) => some.reduce((sum, { length }) => sum + length, 0)
      const countOf = (isCounted: (one: (typeof given)[number]) => boolean) => given.filter(isCounted).length
      expect(table.totals()).toEqual({
        views: given.length,
        ms: msOf(given),
        liveMs: msOf(given.filter(({ layer }) => layer === 0)),
        mobile: countOf((one) => one.isMobile),
        running: countOf((one) => one.isRunning),
        unnamed: countOf((one) => one.viewer === null),
        devices: new Set(given.flatMap(({ device }) => device ?? [])).size,
      })
      for (const list of ['viewer', 'content', 'country', 'city', 'system', 'browser'] as const) {
        const named = Map.groupBy(
          given.filter((one) => one[list] !== null),
          (one) => one[list] ?? '',
        )
        const all = [...named].map(([name, some]) => ({ name, views: some.length, ms: msOf(some) }))
        for (const by of ['views', 'ms'] as const) {
          const expected = all.toSorted((a, b) => b[by] - a[by] || (a.name < b.name ? -1 : 1)).slice(0, 3)
          const { top, known } = table.ranking(list, by, 3)
          expect(top.map(({ name, views, ms }) => ({ name, views, ms }))).toEqual(expected)
          expect(known).toBe(named.size)
        }
      }
    }),
    { numRuns: 50 },
  )
})
