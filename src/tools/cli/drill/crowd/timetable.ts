/** The clock of a drill. Its waits end early when the drill is stopped. */
export type Timetable = ReturnType<typeof startTimetable>

/** Starts the clock at a UNIX time in ms. Uses plain timers: an AbortSignal with thousands of listeners is slow. */
export function startTimetable(stop: AbortSignal, startsAtMs = Date.now()) {
  const startMs = performance.now() + startsAtMs - Date.now()
  const waiting = new Map<NodeJS.Timeout, (isDue: boolean) => void>()
  const nowMs = () => performance.now() - startMs
  stop.addEventListener('abort', () => {
    for (const [timer, resolve] of waiting) {
      clearTimeout(timer)
      resolve(false)
    }
    waiting.clear()
  })
  return {
    /** Milliseconds since the start. */
    nowMs,
    /** Resolves at this time with true, or with false as soon as the drill is stopped. */
    until(atMs: number): Promise<boolean> {
      if (stop.aborted) return Promise.resolve(false)
      const delayMs = atMs - nowMs()
      if (delayMs <= 0) return Promise.resolve(true)
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.delete(timer)
          resolve(true)
        }, Math.ceil(delayMs))
        waiting.set(timer, resolve)
      })
    },
    isStopped: () => stop.aborted,
  }
}
