const USUAL_SECONDS = 25
/** With more viewers, each waits longer, so that their reloads take an eighth of a core: about 250 µs each. */
const RELOADS_PER_SECOND = 440
const LONGEST_SECONDS = 60
const JITTER = 0.2
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
  const usual = clamp(waitingViewers / RELOADS_PER_SECOND, USUAL_SECONDS, LONGEST_SECONDS)
  // A later page waits for the opening: an earlier reload would meet a closed door.
  if (secondsToOpening > usual * (1 + JITTER)) return Math.round(usual * (1 - JITTER + 2 * JITTER * random))
  const spread = clamp(waitingViewers / ADMISSIONS_PER_SECOND, SHORTEST_SPREAD_SECONDS, LONGEST_SPREAD_SECONDS)
  return Math.max(1, Math.ceil(Math.max(0, secondsToOpening) + spread * random))
}

/** Counts the viewers who wait: each has one page, which is due to load again. */
export function createWaitingCount(nowSeconds: () => number) {
  /** Pages by the second in which they are due. */
  const due = new Map<number, number>()
  return {
    add(inSeconds: number): void {
      const second = Math.floor(nowSeconds()) + inSeconds
      due.set(second, (due.get(second) ?? 0) + 1)
    },
    viewers(): number {
      const second = Math.floor(nowSeconds())
      let sum = 0
      for (const [one, count] of due) {
        if (one < second) due.delete(one)
        else sum += count
      }
      return sum
    },
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
