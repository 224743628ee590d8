import { onTestFinished, vi } from 'vitest'

/** Returns a clock that `Date` follows until the test ends, so that counts in memory end with it too. */
export function startClock(startSeconds: number) {
  vi.useFakeTimers({ toFake: ['Date'], now: startSeconds * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  return {
    get seconds() {
      return Date.now() / 1000
    },
    set seconds(seconds: number) {
      vi.setSystemTime(seconds * 1000)
    },
  }
}
