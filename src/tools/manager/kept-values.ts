const MOST_VALUES = 100

/** Values that pages share for a short time. Each act of a manager forgets them, so that the next page shows the change. */
export interface KeptValues {
  /** Returns a function that reads a value at most once in a time. A failed read is not kept. */
  keep<A, T>(freshMs: number, read: (argument: A) => T): (argument: A) => T
  forget(): void
}

export function createKeptValues(nowMs: () => number = () => performance.now()): KeptValues {
  const forgets: (() => void)[] = []
  return {
    keep<A, T>(freshMs: number, read: (argument: A) => T) {
      const values = new Map<string, { readonly value: T; readonly untilMs: number }>()
      forgets.push(() => values.clear())
      return (argument: A): T => {
        const key = JSON.stringify(argument) ?? ''
        const known = values.get(key)
        if (known !== undefined && nowMs() < known.untilMs) return known.value
        if (values.size >= MOST_VALUES) values.clear()
        const value = read(argument)
        values.set(key, { value, untilMs: nowMs() + freshMs })
        if (value instanceof Promise) value.catch(() => values.delete(key))
        return value
      }
    },
    forget() {
      for (const forget of forgets) forget()
    },
  }
}

const KEPT_MS = 30 * 60_000
const MOST_SESSIONS = 10

/** Keeps one value for each session, for half an hour and only in memory: it may have passwords or codes. */
export function keptBySession<T>(nowMs: () => number) {
  const kept = new Map<string, { readonly value: T; readonly atMs: number }>()
  const isOver = (atMs: number) => atMs <= nowMs() - KEPT_MS
  return {
    get(sessionId: string): T | null {
      const found = kept.get(sessionId)
      return found === undefined || isOver(found.atMs) ? null : found.value
    },
    set(sessionId: string, value: T): void {
      for (const [id, { atMs }] of kept) if (isOver(atMs)) kept.delete(id)
      kept.delete(sessionId)
      if (kept.size >= MOST_SESSIONS) kept.delete(kept.keys().next().value ?? '')
      kept.set(sessionId, { value, atMs: nowMs() })
    },
    remove: (sessionId: string): void => void kept.delete(sessionId),
  }
}
