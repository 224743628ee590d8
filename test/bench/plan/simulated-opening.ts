import { reloadSeconds } from '../../../src/features/doors/waiting/reload-time.ts'

export interface OpeningModel {
  /** The viewers who wait at one copy of the app. */
  readonly viewers: number
  /** CPU time that a copy takes to let a viewer in. */
  readonly admissionMicros: number
  /** CPU time of a page that waits on. */
  readonly reloadMicros: number
  /** The cores that a copy can use for both: one, since this work is JavaScript. */
  readonly cores?: number
  /** From 0 to 1. */
  readonly random?: () => number
}

/** The longest time between a reload and its arrival. Chance spreads it: browsers and networks differ. */
const NETWORK_SECONDS = 0.3

/** Arrivals are sorted within so many seconds. A page never loads again so soon. */
const TICK_SECONDS = 0.05

/**
 * Simulates the opening at one copy of the app. The copy answers one request after another. Each viewer loads the waiting page
 * again as its last answer says, so a late answer delays the next load.
 * @returns the seconds after the opening when each viewer is let in, in order.
 */
export function simulateOpening({
  viewers,
  admissionMicros,
  reloadMicros,
  cores = 1,
  random = Math.random,
}: OpeningModel): number[] {
  const arrivals = new Map<number, number[]>()
  function arrive(atSeconds: number): void {
    const tick = Math.floor(atSeconds / TICK_SECONDS)
    const inTick = arrivals.get(tick) ?? []
    inTick.push(atSeconds)
    arrivals.set(tick, inTick)
  }
  const longestSeconds = reloadSeconds(Number.MAX_SAFE_INTEGER, viewers, 1)
  for (let viewer = 0; viewer < viewers; viewer += 1) arrive(-longestSeconds * (1 + random()))
  const enteredSeconds: number[] = []
  let freeAtSeconds = Number.NEGATIVE_INFINITY
  for (let tick = Math.floor((-2 * longestSeconds) / TICK_SECONDS); enteredSeconds.length < viewers; tick += 1) {
    for (const atSeconds of (arrivals.get(tick) ?? []).toSorted((a, b) => a - b)) {
      const beginsSeconds = Math.max(freeAtSeconds, atSeconds)
      const isOpen = beginsSeconds >= 0
      freeAtSeconds = beginsSeconds + (isOpen ? admissionMicros : reloadMicros) / 1e6 / cores
      if (isOpen) enteredSeconds.push(freeAtSeconds)
      else arrive(freeAtSeconds + reloadSeconds(-freeAtSeconds, viewers, random()) + NETWORK_SECONDS * random())
    }
    arrivals.delete(tick)
  }
  return enteredSeconds
}
