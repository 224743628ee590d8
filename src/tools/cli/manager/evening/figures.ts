import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { isRefusal } from '../../security-log/logged-events.ts'
import { type EventTimes, windowsOf } from '../../settings/event-times.ts'
import type { Copy, Readiness } from './copies.ts'
import type { EventCount, EventCounts, Seen } from './event-counts.ts'
import { seriesOf } from './series.ts'
import type { SessionCount } from './session-counter.ts'

/** The end of the outcome of a way in that logs steps of its own: `NAME-signed-in`. */
const OWN_SIGN_IN = '-signed-in'
const FEWEST_FAILURES = 10
/** The time that the figures of an evening go back. */
export const EVENING_MS = 12 * 3_600_000

/** The figures of one evening, for one manager. Times are UNIX milliseconds. */
export type Evening = ReturnType<typeof figuresFor>

/** Figures that are the same for all managers. */
interface SharedFigures {
  readonly atMs: number
  /** The reason why figures of the log are missing. Null if there is a log. */
  readonly logMissing: string | null
  /** True while the log is read for the first time. */
  readonly isReading: boolean
  /** Viewers with a session, in all copies. Null if the store does not answer, or for a part of the entry points. */
  readonly sessions: SessionCount | null
  readonly copies: readonly Copy[]
  readonly readiness: Readiness | null
}

/** Returns the figures for one manager. */
export function figuresFor(
  seen: Seen,
  counts: EventCounts,
  entryPoints: readonly EntryPoint[],
  shared: SharedFigures,
  events: readonly EventTimes[],
) {
  const own = entryPoints.filter(({ name }) => seen === null || seen.includes(name))
  const { atMs } = shared
  const sinceMs = atMs - EVENING_MS
  const recent = counts.since(seen, sinceMs)
  const outcomes = sumsBy(recent, 'outcome')
  const refused = sumsBy(recent.filter(isRefused), 'outcome')
  const byEntryPoint = Map.groupBy(recent, ({ entryPoint }) => entryPoint)
  return {
    ...shared,
    /** The figures of the log begin here. */
    sinceMs,
    refusals: [...refused].toSorted(([, one], [, other]) => other - one),
    sessions: seen === null ? shared.sessions : null,
    /** Viewers who signed in or came back since `sinceMs`, by the log of this machine. */
    viewers: counts.viewersSince(seen, sinceMs),
    waiting: counts.waiting(seen),
    signedIn: outcomes.get('signed-in') ?? 0,
    refused: totalOf(recent.filter(isRefused)),
    ways: waysIn(outcomes, sumsBy(recent, 'wayIn')),
    byEntryPoint: [...byEntryPoint].map(([name, all]) => {
      const signedIn = totalOf(all.filter(({ outcome }) => outcome === 'signed-in'))
      return [name, signedIn, totalOf(all.filter(isRefused))] as const
    }),
    heldBack: counts.heldBack(seen),
    // A network may have viewers of every entry point.
    networks: seen === null ? counts.networks(FEWEST_FAILURES) : [],
    last: counts.newest(seen),
    series: seriesOf(counts, seen, windowsOf(own, events), atMs),
    doors: own.flatMap((entryPoint) =>
      events.map((event) => ({
        entryPoint: entryPoint.name,
        event: event.nameAt(entryPoint, 'en'),
        state: event.stateAt(entryPoint, atMs / 1000),
      })),
    ),
  }
}

const isRefused = ({ outcome }: EventCount) => isRefusal(outcome)
const totalOf = (counts: readonly EventCount[]) => counts.reduce((total, { count }) => total + count, 0)

function sumsBy(counts: readonly EventCount[], field: 'outcome' | 'wayIn'): Map<string, number> {
  return new Map([...Map.groupBy(counts, (one) => one[field])].map(([name, all]) => [name, totalOf(all)]))
}

/**
 * Returns the sign-ins of each way in. Another way of a viewer of the store logs `NAME-signed-in` before `signed-in`.
 * @param byIdentity the sign-ins of viewers who are not in the store, by way in. Its empty name, for others, is deleted.
 */
function waysIn(outcomes: ReadonlyMap<string, number>, byIdentity: Map<string, number>): [string, number][] {
  byIdentity.delete('')
  let left = (outcomes.get('signed-in') ?? 0) - [...byIdentity.values()].reduce((total, count) => total + count, 0)
  const ways = new Map<string, number>([['password', 0]])
  for (const [outcome, started] of outcomes) {
    if (!outcome.endsWith(OWN_SIGN_IN) || outcome === `sso${OWN_SIGN_IN}`) continue
    const own = Math.min(started, left)
    left -= own
    ways.set(outcome.slice(0, -OWN_SIGN_IN.length), own)
  }
  ways.set('password', left)
  // Guests and viewers of the store may share a way, such as a code by mail.
  for (const [way, count] of byIdentity) ways.set(way, (ways.get(way) ?? 0) + count)
  return [...ways].filter(([, count]) => count > 0)
}
