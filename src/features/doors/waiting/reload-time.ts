const USUAL_SECONDS = 25
const JITTER = 0.2
/** From here on, a page waits for the opening: an earlier reload would meet a closed door. */
const LAST_SECONDS = USUAL_SECONDS * (1 + JITTER)
/** The viewers that a copy of the app lets in each second: about 70 % of what one core can do. */
const ADMISSIONS_PER_SECOND = 2_500
const SHORTEST_SPREAD_SECONDS = 1
const LONGEST_SPREAD_SECONDS = 20

/**
 * Returns the whole seconds until a waiting page loads again. Pages that wait for the opening are spread by chance over the
 * time that the app needs for all viewers who wait.
 * @param secondsToOpening negative after the opening.
 * @param random from 0 to 1.
 */
export function reloadSeconds(secondsToOpening: number, waitingViewers: number, random = Math.random()): number {
  if (secondsToOpening > LAST_SECONDS) return Math.round(USUAL_SECONDS * (1 - JITTER + 2 * JITTER * random))
  const needed = waitingViewers / ADMISSIONS_PER_SECOND
  const spread = Math.min(Math.max(needed, SHORTEST_SPREAD_SECONDS), LONGEST_SPREAD_SECONDS)
  return Math.max(1, Math.ceil(Math.max(0, secondsToOpening) + spread * random))
}

/** Counts the pages that were sent within the usual time between two reloads: about one for each viewer who waits. */
export function createWaitingCount(nowSeconds: () => number) {
  const counts = new Map<number, number>()
  return {
    add(): void {
      const second = Math.floor(nowSeconds())
      const before = counts.get(second)
      counts.set(second, (before ?? 0) + 1)
      if (before !== undefined) return
      for (const one of counts.keys()) if (!isRecent(one, second)) counts.delete(one)
    },
    viewers(): number {
      const second = Math.floor(nowSeconds())
      let sum = 0
      for (const [one, count] of counts) if (isRecent(one, second)) sum += count
      return sum
    },
  }
}

function isRecent(one: number, second: number): boolean {
  return one <= second && one > second - USUAL_SECONDS
}
