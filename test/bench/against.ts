import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BenchPart, BenchRun } from './bench-part.ts'
import { type BenchRow, compared, type FailedRow } from './bench-row.ts'
import type { Installation } from './installation.ts'

/** A row of both checkouts. The value is that of this checkout, and the baseline that of the other. */
export type ComparedRow = BenchRow | FailedRow

const TURNS = 3

/** The benchmark of another checkout, which measures the sources there. */
export interface OtherBench {
  readonly createInstallation: () => Promise<Installation>
  /** Returns the part of this name. Null if that checkout does not have it. */
  partNamed(name: string): Promise<BenchPart | null>
}

/**
 * Loads the benchmark of a checkout. Its packages have to be installed.
 * @throws TypeError if the folder has no benchmark.
 */
export async function otherBench(folder: string): Promise<OtherBench> {
  const fileOf = (name: string) => join(resolve(folder), 'test/bench', name)
  if (!existsSync(fileOf('installation.ts'))) throw new TypeError(`${folder} has no test/bench/installation.ts.`)
  const load = (name: string) => import(pathToFileURL(fileOf(name)).href) as Promise<Record<string, unknown>>
  const { createInstallation } = (await load('installation.ts')) as unknown as Pick<OtherBench, 'createInstallation'>
  return {
    createInstallation,
    async partNamed(name) {
      const file = `${name}.bench.ts`
      if (!existsSync(fileOf(file))) return null
      return Object.values(await load(file)).find((one): one is BenchPart => isPart(one, name)) ?? null
    },
  }
}

function isPart(value: unknown, name: string): boolean {
  return value !== null && typeof value === 'object' && 'rows' in value && 'name' in value && value.name === name
}

/** One side of a comparison: a part, and what it runs with. */
export interface Side {
  readonly part: BenchPart
  readonly run: BenchRun
}

/**
 * Runs a part in this and in another checkout by turns, row by row, and yields the ratio of each row that both have. The
 * sides change places in each turn, since the second measurement finds a warmer machine.
 */
export async function* rowsAgainst(here: Side, there: Side, turns: number = TURNS): AsyncGenerator<ComparedRow> {
  const pairs = new Map<string, { here: BenchRow; there: BenchRow }[]>()
  const failures: FailedRow[] = []
  for (let turn = 0; turn < turns; turn++) {
    const [rowsHere, rowsThere] = await inStep(here, there, turn % 2 === 0)
    failures.push(...[...rowsHere, ...rowsThere].filter((row) => 'failure' in row))
    for (const row of rowsHere) {
      const other = rowsThere.find(({ name }) => name === row.name)
      if (other === undefined || 'failure' in row || 'failure' in other) continue
      pairs.set(row.name, [...(pairs.get(row.name) ?? []), { here: row, there: other }])
    }
  }
  yield* failures
  for (const [name, rounds] of pairs) {
    const figures = compared(
      rounds,
      ({ here }) => here.value,
      ({ there }) => there.value,
    )
    yield { name, unit: rounds[0]?.here.unit ?? '', ...figures }
  }
}

type Rows = readonly (BenchRow | FailedRow)[]

/** Runs both parts row by row, one after the other. */
async function inStep(here: Side, there: Side, isHereFirst: boolean): Promise<readonly [Rows, Rows]> {
  const sides = [here, there].map(({ part, run }) => ({
    rows: part.rows(run)[Symbol.asyncIterator](),
    measured: [] as (BenchRow | FailedRow)[],
  }))
  const open = new Set(isHereFirst ? sides : sides.toReversed())
  while (open.size > 0) {
    for (const side of open) {
      const next = await side.rows.next()
      if (next.done) open.delete(side)
      else side.measured.push(next.value)
    }
  }
  return [sides[0]?.measured ?? [], sides[1]?.measured ?? []]
}
