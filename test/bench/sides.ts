import { type BenchRun, inRounds, MOST_REPEATS } from './bench-part.ts'
import { type BenchRow, compared, measured } from './bench-row.ts'
import type { Child, Children } from './child.ts'
import type { Environment } from './installation.ts'
import { closedLoad, type MakeRequest } from './load.ts'
import { allDone, expectOnly } from './unexpected-answers.ts'

const SIDES = [1, 2, 4] as const
const ROUNDS = 5
const TARGET = { atMost: 1.05 }
const MICROS = 'µs CPU of all copies'

/** An event on so many copies. */
export type Side = readonly Child[]
export type Sides = ReadonlyMap<number, Side>

export async function startSides(
  { installation }: BenchRun,
  children: Children,
  environment: Environment,
): Promise<Sides> {
  const sides = new Map<number, Side>()
  for (const count of SIDES) {
    const side: Child[] = []
    // One after another: a busy machine would start many too slowly.
    while (side.length < count) side.push(await children.start(installation.loginApp(environment)))
    sides.set(count, side)
  }
  return sides
}

export interface Work {
  readonly name: string
  readonly request: MakeRequest
  readonly status: number
  /** Requests of a side in each round. */
  readonly count: number
  /** Requests of each copy before the first round. */
  readonly warmUp: number
  /** Connections to each copy. */
  readonly connections: number
  /** Waits for work that goes on after the answers. */
  readonly settle?: () => Promise<void>
}

/** Measures a piece of work at each side by turns. Each number of a request is used once, by one side. */
export async function workRows(
  run: BenchRun,
  sides: Sides,
  work: Work,
  measure: (copies: Side, from: number) => Promise<number> = (copies, from) =>
    cpuMicros(copies, work, from, work.count),
): Promise<BenchRow[]> {
  const { name, warmUp, count } = work
  let next = 0
  const take = (requests: number) => {
    next += requests
    return next - requests
  }
  for (const [number, copies] of sides) {
    run.progress(`${name}, warm-up of ${number}`)
    const requests = warmUp * copies.length
    await cpuMicros(copies, work, take(requests), requests)
  }
  const rounds = await inRounds(ROUNDS, run, `${name} by copies`, async () => {
    const figures = new Map<number, number>()
    for (const [number, copies] of sides) figures.set(number, await measure(copies, take(count)))
    return figures
  })
  const figureOf = (copies: number) => (round: ReadonlyMap<number, number>) => round.get(copies) ?? Number.NaN
  const one: BenchRow = { name: `${name}, Redis and PostgreSQL`, unit: MICROS, ...measured(rounds, figureOf(1)) }
  const more = SIDES.filter((number) => number > 1).map((number) => ({
    name: `${name}, ${number} copies against one`,
    unit: MICROS,
    ...compared(rounds, figureOf(number), figureOf(1)),
    target: TARGET,
  }))
  return [one, ...more]
}

/** Returns the CPU time of all copies for each request. The copies get the requests in turn. */
export async function cpuMicros(
  copies: Side,
  { request, status, connections, settle }: Work,
  from: number,
  count: number,
): Promise<number> {
  const usedMicros = async () => {
    const usages = await Promise.all(copies.map((copy) => copy.usage()))
    return usages.reduce((sum, usage) => sum + usage.cpuMicros, 0)
  }
  const share = count / copies.length
  const before = await usedMicros()
  const loads = copies.map(({ port }, copy) =>
    closedLoad({
      port,
      connections,
      request: (sent) => request(from + copy + sent * copies.length),
      goesOn: (sent) => sent < share,
    }),
  )
  for (const { statuses } of await allDone(loads)) expectOnly([status], statuses)
  await settle?.()
  return ((await usedMicros()) - before) / count
}

/** The requests of one piece of work, with those of repeated rounds. */
export function requestsOf({ warmUp, count }: Pick<Work, 'warmUp' | 'count'>): number {
  const copies = SIDES.reduce<number>((sum, number) => sum + number, 0)
  return warmUp * copies + (ROUNDS + MOST_REPEATS) * SIDES.length * count + count
}
