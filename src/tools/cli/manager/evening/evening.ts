import { setTimeout as sleep } from 'node:timers/promises'
import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { type DoorState, doorState } from '../../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../../features/doors/fields.ts'
import { loggedEvents, shownEvents } from '../../security-log/logged-events.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'
import { entryPointsIn } from '../../settings/entry-points-in.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { type Copy, type Readiness, readCopies, readReadiness } from './copies.ts'
import { followLog } from './follow-log.ts'
import { createLastEvents } from './last-events.ts'
import type { Network } from './network-counts.ts'
import { openSeries, type Series } from './series.ts'
import { sessionCounter } from './session-counter.ts'
import { BY, createTally } from './tally.ts'
import type { HeldBack } from './viewer-counts.ts'

/** The end of the outcome of a way in that has steps of its own. */
const OWN_SIGN_IN = '-signed-in'

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
  readonly sessions: { readonly viewers: number; readonly sessions: number } | null
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
  readonly doors: readonly { readonly entryPoint: string; readonly state: DoorState }[]
  readonly copies: readonly Copy[]
  readonly readiness: Readiness | null
}

/** All requests within this time share one refresh, and the same figures. */
const FRESH_MS = 2_000
/** A command waits until all is read. */
const MOST_WAIT_MS = 600_000
const FEWEST_FAILURES = 10
const EVENING_MS = 12 * 3_600_000

export interface EveningDeps {
  readonly nowMs?: () => number
  readonly entryPoints?: () => readonly EntryPoint[] | null
  /** After this time without a refresh, the last figures are shown. */
  readonly mostWaitMs?: number
}

export type EveningSource = ReturnType<typeof openEvening>

/** Opens the figures of the evening. They are read at a request, once for all who ask within two seconds. */
export function openEvening(
  env: CommandIo['env'],
  { nowMs = Date.now, entryPoints = () => entryPointsIn(env), mostWaitMs = MOST_WAIT_MS }: EveningDeps = {},
) {
  const log = followLog(env)
  const tally = createTally(nowMs)
  const lastEvents = createLastEvents()
  const sessionsIn = sessionCounter(env, nowMs)
  const snapshots = new Map<string, Evening>()
  let refreshedMs = Number.NEGATIVE_INFINITY
  let copies: readonly Copy[] = []
  let readiness: Readiness | null = null
  let sessions: Evening['sessions'] = null

  function add(event: SecurityEvent): void {
    tally.add(event)
    lastEvents.add(event)
  }
  const readLog = oneAtATime(() => log.readNew(add))
  const refresh = oneAtATime(async () => {
    const [nowCopies, nowReadiness, nowSessions] = await Promise.all([
      ...([readCopies(env, nowMs), readReadiness(env, nowMs)] as const),
      ...([sessionsIn(), readLog()] as const),
    ])
    ;[copies, readiness, sessions] = [nowCopies, nowReadiness, nowSessions]
    refreshedMs = nowMs()
    snapshots.clear()
  })
  async function fresh(): Promise<void> {
    if (nowMs() - refreshedMs < FRESH_MS) return
    await within(mostWaitMs, refresh())
  }
  function figuresFor(only: readonly string[] | null): Evening {
    const own = (entryPoints() ?? []).filter(({ name }) => only === null || only.includes(name))
    const atMs = nowMs()
    const sinceMs = atMs - EVENING_MS
    const outcomes = tally.outcomes(only, sinceMs)
    const refusals = tally.refusals(outcomes)
    return {
      ...{ atMs, sinceMs, refusals, copies, readiness, logMissing: log.missing() },
      isReading: refreshedMs === Number.NEGATIVE_INFINITY,
      sessions: only === null ? sessions : null,
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
      series: openSeries(tally, only, own, atMs),
      doors: own.map(({ name, features }) => {
        const { windows = [] } = (features.doors as DoorSettings | undefined) ?? {}
        return { entryPoint: name, state: doorState(windows, atMs / 1000) }
      }),
    }
  }
  return {
    /** Reads the new lines of the log, so that the first page after a pause need not wait. */
    readLog,
    /** @param only the entry points that the manager sees. Null for all. */
    async read(only: readonly string[] | null): Promise<Evening> {
      await fresh()
      const key = JSON.stringify(only)
      const known = snapshots.get(key)
      if (known !== undefined && nowMs() - known.atMs < FRESH_MS) return known
      const figures = figuresFor(only)
      snapshots.set(key, figures)
      return figures
    },
    /** Forgets the figures that depend on settings, after an act. */
    forget: () => snapshots.clear(),
    /** Returns the last events of a viewer, as `viewers show` prints them. */
    async lastEvents(...[, viewer, part]: Parameters<typeof loggedEvents>): ReturnType<typeof loggedEvents> {
      await part(fresh())
      const isRead = refreshedMs !== Number.NEGATIVE_INFINITY && log.missing() === null
      const last = isRead ? lastEvents.of(viewer) : null
      return last === null ? await loggedEvents(env, viewer, part) : shownEvents({ files: [] }, last)
    },
    close: () => log.close(),
  }
}

/** Returns a function that does the work, and shares it with all who ask meanwhile. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}

/** Waits for work, at most for a time. @throws as the work, if it fails in this time. */
async function within(mostMs: number, work: Promise<void>): Promise<void> {
  const timeout = new AbortController()
  const end = sleep(mostMs, undefined, { signal: timeout.signal, ref: false }).catch(() => {})
  try {
    await Promise.race([work, end])
  } finally {
    timeout.abort()
    // A later failure is one of the next page, which tries again.
    work.catch(() => {})
  }
}

/** Returns the sign-ins of each way in. Passkeys of viewers log `NAME-signed-in` before the app lets the viewer in. */
function waysIn(outcomes: ReadonlyMap<string, number>): [string, number][] {
  const others = [...outcomes].flatMap(([outcome, count]): [string, number][] =>
    outcome.startsWith(BY) ? [[outcome.slice(BY.length), count]] : [],
  )
  const ofAll = outcomes.get('signed-in') ?? 0
  const ofStore = ofAll - others.reduce((total, [, count]) => total + count, 0)
  const [name = '', started = 0] =
    [...outcomes].find(([outcome]) => outcome.endsWith(OWN_SIGN_IN) && outcome !== `sso${OWN_SIGN_IN}`) ?? []
  const own = Math.min(started, ofStore)
  const ways: [string, number][] = [['password', ofStore - own], [name.replace(OWN_SIGN_IN, ''), own], ...others]
  return ways.filter(([, count]) => count > 0)
}
