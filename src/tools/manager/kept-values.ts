import { LRUCache } from 'lru-cache'

const MOST_VALUES = 100
const KEPT_MS = 30 * 60_000
const MOST_SESSIONS = 10

/** Values that pages share for a short time. Each act of a manager forgets them, so that the next page shows the change. */
export type KeptValues = ReturnType<typeof createKeptValues>
export type KeptBySession<T extends object> = ReturnType<typeof cacheOf<T>>

export function createKeptValues(nowMs: () => number = () => performance.now()) {
  const forgets: (() => void)[] = []
  const moves: ((from: string, to: string | null) => void)[] = []
  return {
    /** Keeps one value for each session, for half an hour and only in memory: it may have passwords or codes. */
    bySession<T extends object>() {
      const values = cacheOf<T>(MOST_SESSIONS, KEPT_MS, nowMs)
      moves.push((from, to) => {
        const value = values.get(from)
        values.delete(from)
        if (value !== undefined && to !== null) values.set(to, value)
      })
      return values
    },
    /** Hands all values of a session to the session after it. Null forgets them. */
    moveSession(from: string, to: string | null): void {
      for (const move of moves) move(from, to)
    },
    /** Returns a function that reads a value at most once in a time. A failed read is not kept. */
    keep<A, T>(freshMs: number, read: (argument: A) => T) {
      const values = cacheOf<{ readonly value: T }>(MOST_VALUES, freshMs, nowMs)
      forgets.push(() => values.clear())
      return (argument: A): T => {
        const key = JSON.stringify(argument) ?? ''
        const known = values.get(key)
        if (known !== undefined) return known.value
        const value = read(argument)
        values.set(key, { value })
        if (value instanceof Promise) value.catch(() => values.delete(key))
        return value
      }
    },
    forget(): void {
      for (const forget of forgets) forget()
    },
  }
}

function cacheOf<T extends object>(max: number, ttl: number, nowMs: () => number) {
  return new LRUCache<string, T>({ max, ttl, ttlResolution: 0, perf: { now: nowMs } })
}
