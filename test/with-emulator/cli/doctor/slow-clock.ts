import { onTestFinished, vi } from 'vitest'

/**
 * Slows the clock of this process until the test ends, so that a busy machine is not taken for a slow app. A wait moves
 * the clock, and takes no time.
 */
export function slowClock() {
  const realMs = performance.now.bind(performance)
  const startMs = realMs()
  let waitedMs = 0
  const clock = vi.spyOn(performance, 'now')
  clock.mockImplementation(() => startMs + (realMs() - startMs) / 100 + waitedMs)
  onTestFinished(() => clock.mockRestore())
  return {
    wait(ms: number) {
      waitedMs += ms
      return Promise.resolve()
    },
  }
}
