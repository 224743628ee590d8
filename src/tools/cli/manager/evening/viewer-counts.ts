import { usernameKey } from '../../../../users/viewer-fields.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'

const MINUTE_MS = 60_000
const RECENT_MS = 600_000
const MOST_HELD = 1_000
/** Steps on the way, after which a viewer waits on. */
const STEP = /-(?:started|not-yet)$/

/** A viewer whom a limit refused a short time ago. */
export interface HeldBack {
  readonly viewer: string
  readonly address: string | null
  readonly atMs: number
}

type Only = readonly string[] | null

/** Counts the viewers who wait, who are in, and whom a limit holds back. */
export function createViewerCounts(nowMs: () => number) {
  /** The entry point at which a viewer waits. */
  const waiting = new Map<string, string>()
  const waitingAt = new Map<string, number>()
  const everyone = createLastTimes()
  const byEntryPoint = new Map<string, ReturnType<typeof createLastTimes>>()
  const held = new Map<string, HeldBack & { readonly entryPoint: string }>()
  const sees = (only: Only, name: string) => only === null || only.includes(name)

  /** @param entryPoint null for a viewer who no longer waits. */
  function setWaiting(key: string, entryPoint: string | null): void {
    const before = waiting.get(key)
    if (before !== undefined) waitingAt.set(before, (waitingAt.get(before) ?? 0) - 1)
    waiting.delete(key)
    if (entryPoint === null) return
    waiting.set(key, entryPoint)
    waitingAt.set(entryPoint, (waitingAt.get(entryPoint) ?? 0) + 1)
  }
  return {
    add({ viewer, outcome, address, entryPoint: point }: SecurityEvent, atMs: number): void {
      if (viewer === null) return
      const [key, entryPoint] = [usernameKey(viewer), point ?? 'none']
      if (outcome === 'waiting') setWaiting(key, entryPoint)
      else if (!STEP.test(outcome)) setWaiting(key, null)
      if (outcome === 'signed-in' || outcome === 'returned') {
        const ofPoint = byEntryPoint.get(entryPoint) ?? createLastTimes()
        byEntryPoint.set(entryPoint, ofPoint)
        for (const times of [everyone, ofPoint]) times.add(key, atMs)
        held.delete(key)
      }
      if (outcome !== 'held-back') return
      held.delete(key)
      held.set(key, { viewer, address, atMs, entryPoint })
      if (held.size > MOST_HELD) held.delete(held.keys().next().value ?? '')
    },
    waiting: (only: Only): number =>
      [...waitingAt].reduce((total, [name, count]) => (sees(only, name) ? total + count : total), 0),
    /** Counts the viewers who signed in or came back since a time. */
    viewersSince(only: Only, sinceMs: number): number {
      if (only === null) return everyone.count(sinceMs)
      const seen = only.flatMap((name) => byEntryPoint.get(name) ?? [])
      const [first] = seen
      if (first === undefined) return 0
      // A viewer of several entry points counts once.
      return seen.length === 1 ? first.count(sinceMs) : new Set(seen.flatMap((one) => one.keys(sinceMs))).size
    },
    /** Returns the viewers of the last ten minutes, the newest first. */
    heldBack: (only: Only): HeldBack[] =>
      [...held.values()].filter((one) => one.atMs > nowMs() - RECENT_MS && sees(only, one.entryPoint)).toReversed(),
  }
}

/** Keeps the last minute of each viewer, and the number of viewers of each minute, so that a page adds up minutes only. */
function createLastTimes() {
  const minutes = new Map<string, number>()
  const counts = new Map<number, number>()
  const change = (minute: number, by: number) => counts.set(minute, (counts.get(minute) ?? 0) + by)
  const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS)
  return {
    add(key: string, atMs: number): void {
      const before = minutes.get(key)
      if (before !== undefined) change(before, -1)
      minutes.set(key, minuteOf(atMs))
      change(minuteOf(atMs), 1)
    },
    count: (sinceMs: number): number =>
      [...counts].reduce((total, [minute, count]) => (minute >= minuteOf(sinceMs) ? total + count : total), 0),
    keys: (sinceMs: number): string[] =>
      [...minutes].flatMap(([key, minute]) => (minute >= minuteOf(sinceMs) ? key : [])),
  }
}
