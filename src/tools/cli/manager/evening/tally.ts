import { guestWayOf } from '../../guest-ways.ts'
import { isRefusal } from '../../security-log/logged-events.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'
import { createNetworkCounts } from './network-counts.ts'
import { createViewerCounts } from './viewer-counts.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LAST_EVENTS = 20

/** The counts of one minute, by entry point and outcome. */
type Minute = Map<string, Map<string, number>>
/** The entry points that a manager sees. Null for all. */
type Only = readonly string[] | null

/** Begins the count of sign-ins of one way in, such as `by sso`. They also count as `signed-in`. */
export const BY = 'by '

/** Counts what the security log says. Entry points are kept apart, because a manager may see only some of them. */
export function createTally(nowMs: () => number) {
  const minutes = new Map<number, Minute>()
  const viewers = createViewerCounts(nowMs)
  const networks = createNetworkCounts(nowMs)
  const last: SecurityEvent[] = []

  function count(entryPoint: string, outcome: string, added: number, minute: number): void {
    const ofMinute: Minute = minutes.get(minute) ?? new Map()
    minutes.set(minute, ofMinute)
    const counts = ofMinute.get(entryPoint) ?? new Map<string, number>()
    ofMinute.set(entryPoint, counts)
    counts.set(outcome, (counts.get(outcome) ?? 0) + added)
  }
  return {
    ...countsIn(minutes, nowMs),
    ...{ waiting: viewers.waiting, viewersSince: viewers.viewersSince, heldBack: viewers.heldBack },
    networks: networks.networks,
    add(event: SecurityEvent): void {
      if (event.event !== 'sign-in') return
      const { outcome, issuer } = event
      const atMs = Date.parse(event.time)
      const [entryPoint, minute] = [event.entryPoint ?? 'none', Math.floor(atMs / MINUTE_MS)]
      count(entryPoint, outcome, event.count, minute)
      if (outcome === 'signed-in' && issuer !== null) {
        count(entryPoint, `${BY}${guestWayOf(issuer) ?? 'sso'}`, event.count, minute)
      }
      // Older events count by the minute only.
      if (atMs < nowMs() - DAY_MS) return
      viewers.add(event, atMs)
      networks.add(event, atMs)
      last.push(event)
      if (last.length > 100 * LAST_EVENTS) last.splice(0, 50 * LAST_EVENTS)
    },
    /** Returns the newest events, the newest first. */
    last: (only: Only): SecurityEvent[] =>
      last
        .filter(({ entryPoint }) => only === null || only.includes(entryPoint ?? 'none'))
        .slice(-LAST_EVENTS)
        .toReversed(),
  }
}

function countsIn(minutes: ReadonlyMap<number, Minute>, nowMs: () => number) {
  /** Counts by outcome, of some entry points and all minutes of a period. */
  function outcomes(only: Only, fromMs: number, toMs = nowMs() + MINUTE_MS): Map<string, number> {
    const found = new Map<string, number>()
    for (let minute = Math.floor(fromMs / MINUTE_MS); minute < toMs / MINUTE_MS; minute += 1) {
      for (const [name, counts] of minutes.get(minute) ?? []) {
        if (only !== null && !only.includes(name)) continue
        for (const [outcome, count] of counts) found.set(outcome, (found.get(outcome) ?? 0) + count)
      }
    }
    return found
  }
  const refusals = (counts: ReadonlyMap<string, number>): [outcome: string, count: number][] =>
    [...counts]
      .filter(([outcome]) => !outcome.startsWith(BY) && isRefusal(outcome))
      .toSorted(([, one], [, other]) => other - one)
  const signIns = (only: Only, fromMs: number, toMs: number) => outcomes(only, fromMs, toMs).get('signed-in') ?? 0
  return {
    outcomes,
    refusals,
    /** Returns the sign-ins of each step of a period. */
    series: (only: Only, fromMs: number, toMs: number, stepMs: number): number[] =>
      Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, index) => {
        const from = fromMs + index * stepMs
        return signIns(only, from, Math.min(from + stepMs, toMs))
      }),
    byEntryPoint(only: Only, fromMs: number): [name: string, signedIn: number, refused: number][] {
      const recent = [...minutes].filter(([minute]) => minute >= fromMs / MINUTE_MS)
      const names = new Set(recent.flatMap(([, points]) => [...points.keys()]))
      const seen = [...names].filter((name) => only === null || only.includes(name)).toSorted()
      return seen.map((name) => {
        const counts = outcomes([name], fromMs)
        const refused = refusals(counts).reduce((total, [, count]) => total + count, 0)
        return [name, counts.get('signed-in') ?? 0, refused]
      })
    },
    /** Returns the last time before another one with a sign-in. Null without one. */
    lastSignInBefore(only: Only, beforeMs: number): number | null {
      let last = Number.NEGATIVE_INFINITY
      for (const minute of minutes.keys()) {
        const ms = minute * MINUTE_MS
        if (ms > last && ms < beforeMs && signIns(only, ms, ms + 1) > 0) last = ms
      }
      return Number.isFinite(last) ? last : null
    },
  }
}
