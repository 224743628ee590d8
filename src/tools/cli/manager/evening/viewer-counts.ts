import { usernameKey } from '../../../../users/viewer-fields.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'

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

/** Counts the viewers who wait, who are in, and whom a limit holds back. */
export function createViewerCounts(nowMs: () => number) {
  /** The entry point at which a viewer waits. */
  const waiting = new Map<string, string>()
  /** The last sign-in or return of viewers, by entry point. */
  const seen = new Map<string, Map<string, number>>()
  const held = new Map<string, HeldBack & { readonly entryPoint: string }>()
  const sees = (only: readonly string[] | null, name: string) => only === null || only.includes(name)
  return {
    add({ viewer, outcome, address, entryPoint: point }: SecurityEvent, atMs: number): void {
      if (viewer === null) return
      const [key, entryPoint] = [usernameKey(viewer), point ?? 'none']
      if (outcome === 'waiting') waiting.set(key, entryPoint)
      else if (!STEP.test(outcome)) waiting.delete(key)
      if (outcome === 'signed-in' || outcome === 'returned') {
        const ofPoint = seen.get(entryPoint) ?? new Map<string, number>()
        seen.set(entryPoint, ofPoint.set(key, atMs))
        held.delete(key)
      }
      if (outcome !== 'held-back') return
      held.delete(key)
      held.set(key, { viewer, address, atMs, entryPoint })
      if (held.size > MOST_HELD) held.delete(held.keys().next().value ?? '')
    },
    waiting: (only: readonly string[] | null): number =>
      [...waiting.values()].filter((name) => sees(only, name)).length,
    /** Counts the viewers who signed in or came back since a time. */
    viewersSince(only: readonly string[] | null, sinceMs: number): number {
      const keys = new Set<string>()
      for (const [name, times] of seen) {
        if (!sees(only, name)) continue
        for (const [key, atMs] of times) if (atMs >= sinceMs) keys.add(key)
      }
      return keys.size
    },
    /** Returns the viewers of the last ten minutes, the newest first. */
    heldBack: (only: readonly string[] | null): HeldBack[] =>
      [...held.values()].filter((one) => one.atMs > nowMs() - RECENT_MS && sees(only, one.entryPoint)).toReversed(),
  }
}
