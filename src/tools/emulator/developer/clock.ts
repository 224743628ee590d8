/** The emulator's time: the real time plus an offset, or a moment at which the clock stands still. */
export type SettableClock = ReturnType<typeof settableClock>

/**
 * Starts at the real time, running.
 * @param realNowSeconds UNIX time in seconds.
 */
export function settableClock(realNowSeconds: () => number) {
  let offsetSeconds = 0
  let frozenAtSeconds: number | null = null
  const realSeconds = () => Math.floor(realNowSeconds())
  const nowSeconds = () => frozenAtSeconds ?? realSeconds() + offsetSeconds
  return {
    /** UNIX time in whole seconds. */
    nowSeconds,
    /** Seconds ahead of the real time; negative if behind. */
    offsetSeconds: () => nowSeconds() - realSeconds(),
    isFrozen: () => frozenAtSeconds !== null,
    /** Sets the time. A frozen clock stays frozen. */
    set(seconds: number): void {
      if (frozenAtSeconds === null) offsetSeconds = seconds - realSeconds()
      else frozenAtSeconds = seconds
    },
    /** Stops the clock at its time. */
    freeze(): void {
      frozenAtSeconds = nowSeconds()
    },
    /** Lets the clock run on from its time. */
    unfreeze(): void {
      offsetSeconds = nowSeconds() - realSeconds()
      frozenAtSeconds = null
    },
    /** Returns to the real time, running. */
    reset(): void {
      offsetSeconds = 0
      frozenAtSeconds = null
    },
  }
}
