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

/**
 * Simulates the opening at one copy of the app: each viewer loads the waiting page again as the app says, and the copy answers
 * one request after another.
 * @returns the seconds after the opening when each viewer is let in, in order.
 */
export function simulateOpening({
  viewers,
  admissionMicros,
  reloadMicros,
  cores = 1,
  random = Math.random,
}: OpeningModel): number[] {
  const requests = Array.from({ length: viewers }, () => lastRequests(viewers, random)).flat()
  requests.sort((a, b) => a.atSeconds - b.atSeconds)
  const enteredSeconds: number[] = []
  let freeAtSeconds = Number.NEGATIVE_INFINITY
  for (const { atSeconds, isAdmission } of requests) {
    const micros = isAdmission ? admissionMicros : reloadMicros
    freeAtSeconds = Math.max(freeAtSeconds, atSeconds) + micros / 1e6 / cores
    if (isAdmission) enteredSeconds.push(freeAtSeconds)
  }
  return enteredSeconds
}

interface Request {
  /** Negative before the opening. */
  readonly atSeconds: number
  readonly isAdmission: boolean
}

/** Returns the requests of one viewer in the last minute before the opening, and the one that leads to the player. */
function lastRequests(viewers: number, random: () => number): Request[] {
  const requests: Request[] = []
  let atSeconds = -2 * reloadSeconds(Number.MAX_SAFE_INTEGER, viewers, 1) * (0.5 + random() / 2)
  while (atSeconds < 0) {
    requests.push({ atSeconds, isAdmission: false })
    atSeconds += reloadSeconds(-atSeconds, viewers, random()) + NETWORK_SECONDS * random()
  }
  return [...requests, { atSeconds, isAdmission: true }]
}
