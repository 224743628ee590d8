import { readActivitySettings, readSharedStores } from '../../../../config.ts'
import { ConfigError, isOutage } from '../../../../errors.ts'
import { type DoorState, doorState } from '../../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../../features/doors/fields.ts'
import { stores } from '../../../../stores.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'
import { entryPointsIn } from '../../settings/entry-points-in.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { type Copy, type Readiness, readCopies, readReadiness } from './copies.ts'
import { followLog } from './follow-log.ts'
import type { Network } from './network-counts.ts'
import { openSeries, type Series } from './series.ts'
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

/** All requests within this time share one refresh. */
const FRESH_MS = 2_000
/** Reading all sessions takes at most this part of the time. */
const SESSIONS_SHARE = 0.02
const SESSIONS_FRESH_MS = 10_000
const FEWEST_FAILURES = 10
const EVENING_MS = 12 * 3_600_000

/** Opens the figures of the evening. They are read at a request. */
export function openEvening(env: CommandIo['env'], nowMs: () => number = Date.now) {
  const log = followLog(env)
  const tally = createTally(nowMs)
  const sessionsIn = sessionCounter(env, nowMs)
  let refreshedMs = 0
  let refreshing: Promise<void> | null = null
  let copies: readonly Copy[] = []
  let readiness: Readiness | null = null

  async function refresh(): Promise<void> {
    const read = log.readNew(tally.add)
    ;[copies, readiness] = await Promise.all([readCopies(env, nowMs), readReadiness(env, nowMs), read])
    refreshedMs = nowMs()
  }
  async function fresh(): Promise<void> {
    if (nowMs() - refreshedMs < FRESH_MS) return
    refreshing ??= refresh().finally(() => {
      refreshing = null
    })
    await refreshing
  }
  return {
    /** @param only the entry points that the manager sees. Null for all. */
    async read(only: readonly string[] | null): Promise<Evening> {
      const [sessions] = await Promise.all([only === null ? sessionsIn() : null, fresh()])
      const entryPoints = (entryPointsIn(env) ?? []).filter(({ name }) => only === null || only.includes(name))
      const atMs = nowMs()
      const sinceMs = atMs - EVENING_MS
      const refusals = tally.refusals(only, sinceMs)
      const outcomes = tally.outcomes(only, sinceMs)
      return {
        ...{ atMs, sinceMs, sessions, refusals, copies, readiness, logMissing: log.missing() },
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
        series: openSeries(tally, only, entryPoints, atMs),
        doors: entryPoints.map(({ name, features }) => {
          const { windows = [] } = (features.doors as DoorSettings | undefined) ?? {}
          return { entryPoint: name, state: doorState(windows, atMs / 1000) }
        }),
      }
    },
    close: () => log.close(),
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

/** Counts the sessions that are not over. Null while the store does not answer. */
function sessionCounter(env: CommandIo['env'], nowMs: () => number) {
  let known: Evening['sessions'] = null
  let untilMs = 0
  let counting: Promise<void> | null = null
  async function count(): Promise<void> {
    const startedMs = performance.now()
    const { lifetimeSeconds, idleSeconds } = readActivitySettings(env)
    const now = nowMs() / 1000
    const names = new Set<string>()
    let sessions = 0
    try {
      const store = await stores.sessions(readSharedStores(env).sessionStore)
      await store.visitAll(({ username, signedInAtSeconds, usedAtSeconds, provider }) => {
        const ends = [
          signedInAtSeconds + lifetimeSeconds,
          usedAtSeconds + idleSeconds,
          provider?.endsAtSeconds ?? Infinity,
        ]
        if (Math.min(...ends) <= now) return
        names.add(usernameKey(username))
        sessions += 1
      })
      known = { viewers: names.size, sessions }
    } catch (error) {
      if (!(error instanceof ConfigError) && !isOutage(error)) throw error
      known = null
    }
    untilMs = nowMs() + Math.max(SESSIONS_FRESH_MS, (performance.now() - startedMs) / SESSIONS_SHARE)
  }
  return async () => {
    if (nowMs() >= untilMs) {
      counting ??= count().finally(() => {
        counting = null
      })
      await counting
    }
    return known
  }
}
