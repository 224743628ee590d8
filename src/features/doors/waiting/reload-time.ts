const USUAL_SECONDS = 25
/** With more viewers, each waits longer, so that their reloads take about a sixth of a core. */
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

/** No page is due later. */
const LATEST_SECONDS = LONGEST_SECONDS * (1 + JITTER) + LONGEST_SPREAD_SECONDS

export type WaitingCount = ReturnType<typeof createWaitingCount>

/**
 * Counts the viewers who wait: each has one page, which is due to load again. A page that a viewer loads many times counts
 * once, so that one viewer cannot delay all others.
 */
export function createWaitingCount(nowSeconds: () => number) {
  const dueOf = new Map<string, number>()
  /** Pages by the second in which they are due. */
  const pagesIn = new Map<number, Set<string>>()
  return {
    /** @param page the same each time that it loads. */
    add(page: string, inSeconds: number): void {
      const second = Math.floor(nowSeconds()) + inSeconds
      pagesIn.get(dueOf.get(page) ?? second)?.delete(page)
      dueOf.set(page, second)
      pagesIn.set(second, (pagesIn.get(second) ?? new Set()).add(page))
    },
    viewers(): number {
      const now = Math.floor(nowSeconds())
      for (const [second, pages] of pagesIn) {
        // Much later: the clock was set back.
        if (second >= now && second <= now + LATEST_SECONDS) continue
        for (const page of pages) dueOf.delete(page)
        pagesIn.delete(second)
      }
      return dueOf.size
    },
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
