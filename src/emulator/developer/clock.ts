/** The emulator's time: the real one, or shifted by whoever tests what happens later. It goes on either way. */
export interface SettableClock {
  /** UNIX time in whole seconds. */
  nowSeconds(): number
  /** How far it is ahead of the real time; negative when it is behind. */
  offsetSeconds(): number
  set(nowSeconds: number): void
  advance(seconds: number): void
  /** Back to the real time. */
  reset(): void
}

/** @param realNowSeconds UNIX time in seconds. */
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
