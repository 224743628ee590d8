import { expect, test } from 'vitest'
import { otherBench, rowsAgainst, type Side } from './against.ts'
import type { BenchRun } from './bench-part.ts'
import type { BenchRow, FailedRow } from './bench-row.ts'

/** A side whose rows have these values, or fail. Each measurement is noted in `order`. */
function sideOf(side: string, order: string[], values: Readonly<Record<string, number | null>>): Side {
  async function* rows(): AsyncGenerator<BenchRow | FailedRow> {
    for (const [name, value] of Object.entries(values)) {
      order.push(`${side} ${name}`)
      yield await Promise.resolve(value === null ? { name, failure: `${side} failed` } : { name, value, unit: 'ms' })
    }
  }
  return { part: { name: 'part', expectedSeconds: 1, rows }, run: {} as BenchRun }
}

async function compare(here: Side, there: Side, turns: number) {
  const rows: (BenchRow | FailedRow)[] = []
  for await (const row of rowsAgainst(here, there, turns)) rows.push(row)
  return rows
}

test('two checkouts are measured row by row, and change places in each turn', async () => {
  const order: string[] = []
  const rows = await compare(sideOf('here', order, { a: 30, b: 4 }), sideOf('there', order, { a: 20, b: 8 }), 2)
  expect(rows).toMatchObject([
    { name: 'a', ratio: 1.5, value: 30, baseline: 20, unit: 'ms' },
    { name: 'b', ratio: 0.5 },
  ])
  const first = ['here a', 'there a', 'here b', 'there b']
  expect(order).toEqual([...first, 'there a', 'here a', 'there b', 'here b'])
})

test('rows that only one checkout has are left out, and a failed row is named', async () => {
  const rows = await compare(sideOf('here', [], { a: 1, new: 2, c: null }), sideOf('there', [], { a: 1, c: 3 }), 1)
  expect(rows).toMatchObject([
    { name: 'c', failure: 'here failed' },
    { name: 'a', ratio: 1 },
  ])
})

test('the benchmark of another checkout is found by the names of its parts', async () => {
  const { partNamed } = await otherBench('.')
  expect(await partNamed('start')).toMatchObject({ name: 'start' })
  expect(await partNamed('unknown')).toBeNull()
  await expect(otherBench('src')).rejects.toThrow(TypeError)
})
