import { type BenchRun, inRounds, MOST_REPEATS } from './bench-part.ts'
import type { Child } from './child.ts'
import { closedLoad, type MakeRequest } from './load.ts'
import { expectOnly } from './unexpected-answers.ts'

/** V8 needs so many to settle where it keeps the objects of a session. */
const WARM_UP_REQUESTS = 15_000
const ROUNDS = 7
const ROUND_REQUESTS = 1000
/** Requests of one contestant. A returning viewer's session is used once, because fast returns count as a loop. */
export const RACE_REQUESTS = raceRequests()
const CONNECTIONS = 32

/** Returns the requests of one contestant after another warm-up. */
export function raceRequests(warmUpRequests: number = WARM_UP_REQUESTS): number {
  return warmUpRequests + (ROUNDS + MOST_REPEATS) * ROUND_REQUESTS
}

export interface Contestant {
  readonly child: Child
  readonly request: MakeRequest
  /** The only expected status. */
  readonly status: number
}

/**
 * Measures the CPU time of each server per answer, in microseconds, by turns in each round.
 * @throws UnexpectedAnswers if answers have another status in too many rounds.
 */
export async function cpuRace<K extends string>(
  run: Pick<BenchRun, 'progress' | 'startMeter'>,
  name: string,
  contestants: Readonly<Record<K, Contestant>>,
  warmUpRequests: number = WARM_UP_REQUESTS,
): Promise<Record<K, number>[]> {
  const entries = Object.entries<Contestant>(contestants)
  run.progress(`${name}, warm-up`)
  for (const [, contestant] of entries) await usedMicros(contestant, 0, warmUpRequests)
  return await inRounds(ROUNDS, run, name, async (call) => {
    const from = warmUpRequests + call * ROUND_REQUESTS
    const figures: [string, number][] = []
    for (const [key, contestant] of entries) {
      const { cpuMicros, statuses } = await usedMicros(contestant, from, ROUND_REQUESTS)
      expectOnly([contestant.status], statuses)
      figures.push([key, cpuMicros / ROUND_REQUESTS])
    }
    return Object.fromEntries(figures) as Record<K, number>
  })
}

async function usedMicros({ child, request }: Contestant, from: number, count: number) {
  const requests = Array.from({ length: count }, (_, index) => request(from + index))
  const before = await child.usage()
  const { statuses } = await closedLoad({
    port: child.port,
    connections: CONNECTIONS,
    request: (sent) => requests[sent] as Buffer,
    goesOn: (sent) => sent < count,
  })
  const after = await child.usage()
  return { cpuMicros: after.cpuMicros - before.cpuMicros, statuses }
}
