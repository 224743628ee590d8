import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'
import { type EventState, type EventTimes, windowsOf } from '../../settings/event-times.ts'
import type { Copy, Readiness } from './copies.ts'
import type { Network } from './network-counts.ts'
import { openSeries, type Series } from './series.ts'
import type { SessionCount } from './session-counter.ts'
import { BY, type createTally } from './tally.ts'
import type { HeldBack } from './viewer-counts.ts'

/** Ends the outcome of a way in with steps of its own, such as `passkey-signed-in` or `mail-signed-in`. */
const OWN_SIGN_IN = '-signed-in'

const FEWEST_FAILURES = 10
const EVENING_MS = 12 * 3_600_000

/** The figures of one evening, for one manager. Times are UNIX milliseconds. */
export interface Evening {
  readonly atMs: number
  /** The figures of the log begin here. */
  readonly sinceMs: number
  /** The reason why figures of the log are missing. Null if there is a log. */
  readonly logMissing: string | null
  /** True while the log is read for the first time. */
  readonly isReading: boolean
  /** Viewers with a session, in all copies. Null if the store does not answer, or for a part of the entry points. */
  readonly sessions: SessionCount | null
  /** Viewers who signed in or came back since `sinceMs`, by the log of this machine. */
  readonly viewers: number
  readonly waiting: number
  readonly signedIn: number
  readonly refused: number
  readonly refusals: readonly (readonly [outcome: string, count: number])[]
  readonly ways: readonly (readonly [way: string, count: number])[]
  readonly byEntryPoint: readonly (readonly [name: string, signedIn: number, refused: number])[]
  readonly heldBack: readonly HeldBack[]
  readonly networks: readonly Network[]
  readonly last: readonly SecurityEvent[]
  readonly series: Series
  readonly doors: readonly { readonly entryPoint: string; readonly state: EventState }[]
  readonly copies: readonly Copy[]
  readonly readiness: Readiness | null
}

/** Figures that are the same for all managers. */
type SharedFigures = Pick<Evening, 'atMs' | 'sessions' | 'copies' | 'readiness' | 'logMissing' | 'isReading'>

/**
 * Returns the figures for one manager.
 * @param only the entry points that the manager sees. Null for all.
 */
export function figuresFor(
  only: readonly string[] | null,
  tally: ReturnType<typeof createTally>,
  entryPoints: readonly EntryPoint[],
  shared: SharedFigures,
  events: readonly EventTimes[],
): Evening {
  const own = entryPoints.filter(({ name }) => only === null || only.includes(name))
  const { atMs } = shared
  const sinceMs = atMs - EVENING_MS
  const outcomes = tally.outcomes(only, sinceMs)
  const refusals = tally.refusals(outcomes)
  return {
    ...shared,
    sinceMs,
    refusals,
    sessions: only === null ? shared.sessions : null,
    viewers: tally.viewersSince(only, sinceMs),
    waiting: tally.waiting(only),
    signedIn: outcomes.get('signed-in') ?? 0,
    refused: refusals.reduce((total, [, count]) => total + count, 0),
    ways: waysIn(outcomes),
    byEntryPoint: tally.byEntryPoint(only, sinceMs),
    heldBack: tally.heldBack(only),
    // A network may have viewers of every entry point.
    networks: only === null ? tally.networks(FEWEST_FAILURES) : [],
    last: tally.last(only),
    series: openSeries(tally, only, windowsOf(own, events), atMs),
    doors: own.flatMap((entryPoint) =>
      events.map((event) => ({ entryPoint: entryPoint.name, state: event.stateAt(entryPoint, atMs / 1000) })),
    ),
  }
}

/** Returns the sign-ins of each way in. Viewers of the store with another way than the password log `NAME-signed-in` before. */
function waysIn(outcomes: ReadonlyMap<string, number>): [string, number][] {
  const others = [...outcomes].flatMap(([outcome, count]): [string, number][] =>
    outcome.startsWith(BY) ? [[outcome.slice(BY.length), count]] : [],
  )
  const ofAll = outcomes.get('signed-in') ?? 0
  const ofStore = ofAll - others.reduce((total, [, count]) => total + count, 0)
  const ways = new Map<string, number>([['password', 0]])
  let left = ofStore
  for (const [outcome, started] of outcomes) {
    if (!outcome.endsWith(OWN_SIGN_IN) || outcome === `sso${OWN_SIGN_IN}`) continue
    const own = Math.min(started, left)
    left -= own
    ways.set(outcome.slice(0, -OWN_SIGN_IN.length), own)
  }
  ways.set('password', left)
  // Guests and viewers of the store may share a way, such as a code by mail.
  for (const [way, count] of others) ways.set(way, (ways.get(way) ?? 0) + count)
  return [...ways].filter(([, count]) => count > 0)
}
