/** The emulator's time: the real time plus an offset, or a moment at which the clock stands still. */
export interface SettableClock {
  /** UNIX time in whole seconds. */
  nowSeconds(): number
  /** Seconds ahead of the real time; negative if behind. */
  offsetSeconds(): number
  isFrozen(): boolean
  /** Sets the time. A frozen clock stays frozen. */
  set(nowSeconds: number): void
  /** Stops the clock at its time. */
  freeze(): void
  /** Lets the clock run on from its time. */
  unfreeze(): void
  /** Returns to the real time, running. */
  reset(): void
}

/**
 * Starts at the real time, running.
 * @param realNowSeconds UNIX time in seconds.
 */
export function settableClock(realNowSeconds: () => number): SettableClock {
  let offsetSeconds = 0
  let frozenAtSeconds: number | null = null
  const realSeconds = () => Math.floor(realNowSeconds())
  const nowSeconds = () => frozenAtSeconds ?? realSeconds() + offsetSeconds
  return {
    nowSeconds,
    offsetSeconds: () => nowSeconds() - realSeconds(),
    isFrozen: () => frozenAtSeconds !== null,
    set(seconds) {
      if (frozenAtSeconds === null) offsetSeconds = seconds - realSeconds()
      else frozenAtSeconds = seconds
    },
    freeze() {
      frozenAtSeconds = nowSeconds()
    },
    unfreeze() {
      offsetSeconds = nowSeconds() - realSeconds()
      frozenAtSeconds = null
    },
    reset() {
      offsetSeconds = 0
      frozenAtSeconds = null
    },
  }
}
