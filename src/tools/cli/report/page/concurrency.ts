import type { TimeRange } from '../../output/time-range.ts'
import type { Change } from './view-table.ts'

/** The moment of a part at which most views ran at once. */
export interface Moment {
  readonly timeMs: number
  readonly live: number
  readonly recorded: number
}

/** A part of the period, drawn as one column. */
export interface PeriodPart extends TimeRange {
  /** The first of equal moments. */
  readonly peak: Moment
  /** Average number of concurrent views. */
  readonly average: number
  /** The views that start in this part, and those that end in it. */
  readonly arrivals: number
  readonly departures: number
}

/**
 * Counts how many views ran at once in each part of a period. A view that ends when the next one starts is not counted
 * twice.
 * @param changes all changes in the order of time. Those before the first border tell how many views run there.
 */
export function concurrencyOf(changes: Iterable<Change>, bordersMs: readonly number[]): PeriodPart[] {
  const coming = changes[Symbol.iterator]()
  let next = coming.next()
  let live = 0
  let recorded = 0
  const count = ([, , , moreLive, moreRecorded]: Change) => {
    live += moreLive
    recorded += moreRecorded
    next = coming.next()
  }
  while (!next.done && next.value[0] < (bordersMs[0] ?? 0)) count(next.value)
  return bordersMs.slice(0, -1).map((fromMs, part) => {
    const toMs = bordersMs[part + 1] ?? fromMs
    let peak: Moment = { timeMs: fromMs, live: 0, recorded: 0 }
    let sinceMs = fromMs
    let watchedMs = 0
    let arrivals = 0
    let departures = 0
    const runUntil = (timeMs: number) => {
      if (timeMs > sinceMs && live + recorded > viewersAt(peak)) peak = { timeMs: sinceMs, live, recorded }
      watchedMs += (live + recorded) * (timeMs - sinceMs)
      sinceMs = timeMs
    }
    while (!next.done && next.value[0] < toMs) {
      const [atMs, starts, ends] = next.value
      runUntil(atMs)
      arrivals += starts
      departures += ends
      count(next.value)
    }
    runUntil(toMs)
    return { fromMs, toMs, peak, average: watchedMs / (toMs - fromMs), arrivals, departures }
  })
}

/** Returns the moment at which most views ran at once. */
export function highestOf(parts: readonly PeriodPart[]): Moment {
  const none: Moment = { timeMs: parts[0]?.fromMs ?? 0, live: 0, recorded: 0 }
  return parts.reduce((most, { peak }) => (viewersAt(peak) > viewersAt(most) ? peak : most), none)
}

export function viewersAt({ live, recorded }: Moment): number {
  return live + recorded
}
