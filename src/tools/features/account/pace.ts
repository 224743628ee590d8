import { setTimeout as sleep } from 'node:timers/promises'

const MINUTE_MS = 60_000

/**
 * Spreads mails evenly.
 * @param perMinute undefined: no limit.
 * @returns a function that waits for the turn of the next mail. It resolves with false after a stop.
 */
export function createPace(perMinute: number | undefined, stop: AbortSignal): () => Promise<boolean> {
  let nextMs = 0
  return async () => {
    if (perMinute === undefined) return true
    const nowMs = performance.now()
    const turnMs = Math.max(nowMs, nextMs)
    nextMs = turnMs + MINUTE_MS / perMinute
    // The sleep rejects only after a stop.
    await sleep(turnMs - nowMs, undefined, { signal: stop }).catch(() => {})
    return !stop.aborted
  }
}
