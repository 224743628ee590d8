import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/** Each further mail of a lane is placed later by this time, so that other lanes come first. */
const LANE_STEP_MS = 1_000
const MOST_LANES = 100_000

/**
 * Creates the places of mails: keys in the order of sending. A lane with many mails, such as one network, does not hold back
 * the others. A lane that is alone does not wait.
 */
export function createLanes(nowMs: () => number): (lane: string) => string {
  /** The place of the last mail of each lane. */
  const last = new LRUCache<string, number>({ maxSize: MOST_LANES, sizeCalculation: () => 1 })
  return (lane) => {
    const place = Math.max(nowMs(), (last.get(lane) ?? 0) + LANE_STEP_MS)
    last.set(lane, place)
    return placeOf(place)
  }
}

/** Returns the place of a time: texts in the order of times. */
export function placeOf(timeMs: number): string {
  return String(Math.round(timeMs)).padStart(15, '0')
}

/** Creates a pause that `wake()` ends early, or leaves out if it comes before. */
export function createPause() {
  let woken = new AbortController()
  return {
    async wait(ms: number): Promise<void> {
      await sleep(ms, undefined, { signal: woken.signal, ref: false }).catch(() => {})
      woken = new AbortController()
    },
    wake: () => woken.abort(),
  }
}
