import { readFileSync } from 'node:fs'
import { openSqlite } from '../../../../server/sqlite-file.ts'
import { networkOf } from '../../../../sign-in-limits/keys.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import { guestWayOf } from '../../guest-ways.ts'
import { isRefusal, type LastEvents } from '../../security-log/logged-events.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'

/** The entry points that a manager sees. Null for all. */
export type Seen = readonly string[] | null

/** A viewer whom a limit refused a short time ago. */
export interface HeldBack {
  readonly viewer: string
  readonly address: string | null
  readonly atMs: number
}

/** A network with failed sign-ins. */
export interface Network {
  readonly network: string
  /** One address of it. */
  readonly address: string
  readonly failures: number
  readonly viewers: number
}

/** The number of events with the same entry point, outcome and way in. */
export interface EventCount {
  readonly entryPoint: string
  readonly outcome: string
  /** The way in of a sign-in of a viewer who is not in the user store, such as `sso`. Empty for others. */
  readonly wayIn: string
  readonly count: number
}

export type EventCounts = ReturnType<typeof openEventCounts>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** The period of the limit of an address. */
const RECENT_MS = 10 * MINUTE_MS
const MOST_HELD_BACK = 1_000
const SHOWN_EVENTS = 20
/** Outcomes of steps before the sign-in. After these, a viewer still waits. */
const STEP = /-(?:started|not-yet)$/
/** 64 MB stay in memory, and the rest in a temporary file. Nothing is committed, because the rows may be lost. */
const PRAGMAS = 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN;'
const TABLES = readFileSync(new URL('tables.sql', import.meta.url), 'utf8')
/** The SQL condition for the entry points that a manager sees. */
const SEEN = '(:seen IS NULL OR entry_point IN (SELECT value FROM json_each(:seen)))'

/** Counts what the security log says. Entry points are kept apart, because a manager may see only some of them. */
export function openEventCounts(nowMs: () => number) {
  const database = openSqlite('', { timeoutMs: 0, pragmas: PRAGMAS + TABLES })
  const sql = (text: string) => database.prepare(text)
  const addCount = sql(
    'INSERT INTO counts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  )
  const addFailure = sql(
    'INSERT INTO failures VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  )
  const addViewerIn = sql('INSERT OR REPLACE INTO viewers_in VALUES (?, ?, ?)')
  const addWaiting = sql('INSERT OR REPLACE INTO waiting VALUES (?, ?)')
  const endWaiting = sql('DELETE FROM waiting WHERE viewer = ?')
  const addHeldBack = sql('INSERT OR REPLACE INTO held_back VALUES (?, ?, ?, ?, ?)')
  const endHeldBack = sql('DELETE FROM held_back WHERE key = ?')
  const keepLast = (column: string) =>
    sql(
      `INSERT INTO last_events (viewer, ${column}) VALUES (?, ?) ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`,
    )
  const keepSignIn = keepLast('sign_in')
  const keepRefusal = keepLast('refusal')
  const newest: SecurityEvent[] = []
  const isRecent = (atMs: number) => atMs > nowMs() - RECENT_MS - MINUTE_MS

  function addViewerEvent(
    key: string,
    { viewer, outcome, address }: SecurityEvent,
    entryPoint: string,
    atMs: number,
  ): void {
    if (outcome === 'waiting') addWaiting.run(key, entryPoint)
    else if (!STEP.test(outcome)) endWaiting.run(key)
    if (outcome === 'signed-in' || outcome === 'returned') {
      addViewerIn.run(key, entryPoint, minuteOf(atMs))
      endHeldBack.run(key)
    }
    if (outcome === 'held-back' && isRecent(atMs)) addHeldBack.run(key, viewer, address, entryPoint, atMs)
  }
  return {
    ...queriesIn(database, nowMs),
    add(event: SecurityEvent): void {
      if (event.event !== 'sign-in') return
      const { outcome, viewer, address, issuer } = event
      const atMs = Date.parse(event.time)
      const entryPoint = event.entryPoint ?? 'none'
      const wayIn = outcome === 'signed-in' && issuer !== null ? (guestWayOf(issuer) ?? 'sso') : ''
      addCount.run(minuteOf(atMs), entryPoint, outcome, wayIn, event.count)
      const key = viewer === null ? null : usernameKey(viewer)
      if (key !== null && outcome === 'signed-in') keepSignIn.run(key, JSON.stringify(event))
      else if (key !== null && isRefusal(outcome)) keepRefusal.run(key, JSON.stringify(event))
      // Older events count by the minute only.
      if (atMs < nowMs() - DAY_MS) return
      if (key !== null) addViewerEvent(key, event, entryPoint, atMs)
      const isFailure = outcome === 'wrong-credentials' || outcome === 'held-back'
      if (address !== null && isFailure && isRecent(atMs)) {
        addFailure.run(networkOf(address), minuteOf(atMs), viewer ?? '', address, event.count)
      }
      newest.push(event)
      if (newest.length > 100 * SHOWN_EVENTS) newest.splice(0, 50 * SHOWN_EVENTS)
    },
    /** Returns the newest events, the newest first. */
    newest: (seen: Seen): SecurityEvent[] =>
      newest
        .filter(({ entryPoint }) => seen === null || seen.includes(entryPoint ?? 'none'))
        .slice(-SHOWN_EVENTS)
        .toReversed(),
  }
}

/** Reads the counts. Times are UNIX milliseconds, rounded down to the minute. */
function queriesIn(database: ReturnType<typeof openSqlite>, nowMs: () => number) {
  const sql = (text: string) => database.prepare(text)
  const recent = sql(`SELECT entry_point AS entryPoint, outcome, way_in AS wayIn, sum(count) AS count FROM counts
    WHERE minute >= :from AND ${SEEN} GROUP BY 1, 2, 3 ORDER BY 1`)
  const steps = sql(`SELECT CAST((minute - :from) / :step AS INTEGER) AS step, sum(count) AS count FROM counts
    WHERE outcome = 'signed-in' AND minute >= :from AND minute < :to AND ${SEEN} GROUP BY 1`)
  const lastSignIn = sql(`SELECT minute FROM counts
    WHERE outcome = 'signed-in' AND minute < :before AND ${SEEN} ORDER BY minute DESC LIMIT 1`)
  const viewersIn = sql(`SELECT count(DISTINCT viewer) AS count FROM viewers_in WHERE minute >= :from AND ${SEEN}`)
  const waiting = sql(`SELECT count(*) AS count FROM waiting WHERE ${SEEN}`)
  const heldBack = sql(`SELECT viewer, address, at AS atMs FROM held_back
    WHERE at > :after AND ${SEEN} ORDER BY at DESC LIMIT ${MOST_HELD_BACK}`)
  const networks = sql(`SELECT network, max(address) AS address, sum(count) AS failures,
      count(DISTINCT nullif(viewer, '')) AS viewers
    FROM failures WHERE minute >= :from GROUP BY network HAVING failures >= :fewest ORDER BY failures DESC`)
  const whoIsIn = sql(`SELECT entry_point AS entryPoint, minute * ${MINUTE_MS} AS seenMs, sign_in AS signIn
    FROM viewers_in JOIN last_events USING (viewer)
    WHERE minute >= :from AND ${SEEN} AND instr(viewer, :text) ORDER BY minute DESC LIMIT :limit`)
  const areIn = sql(`SELECT DISTINCT viewer FROM viewers_in
    WHERE minute >= :from AND ${SEEN} AND viewer IN (SELECT value FROM json_each(:keys))`)
  const lastOf = sql('SELECT sign_in AS signIn, refusal FROM last_events WHERE viewer = ?')
  const forgetHeldBack = sql('DELETE FROM held_back WHERE at <= ?')
  const forgetFailures = sql('DELETE FROM failures WHERE minute < ?')
  const names = (seen: Seen) => seen && JSON.stringify(seen)
  const eventIn = (json: unknown) => (typeof json === 'string' ? (JSON.parse(json) as SecurityEvent) : null)
  return {
    since: (seen: Seen, fromMs: number) => {
      return recent.all({ seen: names(seen), from: minuteOf(fromMs) }) as unknown as EventCount[]
    },
    /** Returns the sign-ins of each step of a period. Steps are whole minutes. */
    signInsByStep(seen: Seen, fromMs: number, toMs: number, stepMs: number): number[] {
      const period = { from: minuteOf(fromMs), to: minuteOf(toMs), step: stepMs / MINUTE_MS }
      const found = new Map(steps.all({ seen: names(seen), ...period }).map((row) => [row.step, Number(row.count)]))
      return Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, index) => found.get(index) ?? 0)
    },
    /** Returns the last minute with a sign-in before a time. Null without one. */
    lastSignInBefore(seen: Seen, beforeMs: number): number | null {
      const row = lastSignIn.get({ seen: names(seen), before: beforeMs / MINUTE_MS })
      return row === undefined ? null : Number(row.minute) * MINUTE_MS
    },
    /** Counts the viewers who signed in or came back since a time. A viewer of several entry points counts once. */
    viewersSince: (seen: Seen, fromMs: number): number =>
      Number(viewersIn.get({ seen: names(seen), from: minuteOf(fromMs) })?.count),
    /** Returns the viewers who signed in or came back since a time, the newest first. @param text a part of their keys. */
    whoIsIn(seen: Seen, fromMs: number, text: string, limit: number) {
      const rows = whoIsIn.all({ seen: names(seen), from: minuteOf(fromMs), text, limit })
      return rows.map((row) => {
        return { entryPoint: String(row.entryPoint), seenMs: Number(row.seenMs), signIn: eventIn(row.signIn) }
      })
    },
    /** Returns those of the keys whose viewers signed in or came back since a time. */
    areIn: (seen: Seen, fromMs: number, keys: readonly string[]) =>
      areIn.all({ seen: names(seen), from: minuteOf(fromMs), keys: JSON.stringify(keys) }).map((row) => row.viewer),
    waiting: (seen: Seen): number => Number(waiting.get({ seen: names(seen) })?.count),
    /** Returns the viewers whom a limit refused in the last ten minutes, the newest first. */
    heldBack: (seen: Seen) => {
      return heldBack.all({ seen: names(seen), after: nowMs() - RECENT_MS }) as unknown as HeldBack[]
    },
    /** Returns the networks with at least `fewest` failures in the last ten minutes, the worst first. */
    networks: (fewest: number) => networks.all({ fewest, from: minuteOf(nowMs() - RECENT_MS) }) as unknown as Network[],
    lastEventsOf(viewer: string): LastEvents {
      const row = lastOf.get(usernameKey(viewer))
      return { signIn: eventIn(row?.signIn), refusal: eventIn(row?.refusal) }
    },
    /** Deletes held-back viewers and failures that are older than ten minutes. */
    forgetOld(): void {
      forgetHeldBack.run(nowMs() - RECENT_MS)
      forgetFailures.run(minuteOf(nowMs() - RECENT_MS))
    },
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS)
}
