/** The emulator's time: the real time plus an offset, so that tests and developers can skip hours. */
export interface SettableClock {
  /** UNIX time in whole seconds. */
  nowSeconds(): number
  /** Seconds ahead of the real time; negative if behind. */
  offsetSeconds(): number
  set(nowSeconds: number): void
  advance(seconds: number): void
  /** Returns to the real time. */
  reset(): void
}

/**
 * Starts at the real time.
 * @param realNowSeconds UNIX time in seconds.
 */
export function settableClock(realNowSeconds: () => number): SettableClock {
  let offsetSeconds = 0
  const nowSeconds = () => Math.floor(realNowSeconds()) + offsetSeconds
  return {
    nowSeconds,
    offsetSeconds: () => offsetSeconds,
    set(seconds) {
      offsetSeconds += seconds - nowSeconds()
    },
    advance(seconds) {
      offsetSeconds += seconds
    },
    reset() {
      offsetSeconds = 0
    },
  }
}
