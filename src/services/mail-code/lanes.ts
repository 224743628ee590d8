/** Each further mail of a lane is placed later by this time, so that other lanes come first. */
const LANE_STEP_MS = 1_000
const MOST_LANES = 100_000

/**
 * Creates the places of mails: keys in the order of sending. A lane with many mails, such as one network, does not hold back
 * the others. A lane that is alone does not wait.
 */
export function createLanes(nowMs: () => number): (lane: string) => string {
  /** The place of the last mail of each lane. */
  const last = new Map<string, number>()
  return (lane) => {
    const place = Math.max(nowMs(), (last.get(lane) ?? 0) + LANE_STEP_MS)
    // Also moves the lane to the end: the first one was used least recently.
    last.delete(lane)
    last.set(lane, place)
    const [oldest] = last.keys()
    if (last.size > MOST_LANES && oldest !== undefined) last.delete(oldest)
    return placeOf(place)
  }
}

/** Returns the place of a time: texts in the order of times. */
export function placeOf(timeMs: number): string {
  return String(Math.round(timeMs)).padStart(15, '0')
}

/** Creates a pause that `wake()` ends early, or leaves out if it comes before. */
export function createPause() {
  let end: (() => void) | null = null
  let isWoken = false
  return {
    async wait(ms: number): Promise<void> {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms).unref()
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      end = null
      isWoken = false
    },
    wake(): void {
      isWoken = true
      end?.()
    },
  }
}
