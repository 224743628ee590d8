import { setTimeout as sleep } from 'node:timers/promises'
import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { loggedEvents, shownEvents } from '../../security-log/logged-events.ts'
import { entryPointsIn } from '../../settings/chosen-entry-point.ts'
import type { EventTimes } from '../../settings/event-times.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { type Copy, type Readiness, readCopies, readReadiness } from './copies.ts'
import { type EventCounts, openEventCounts, type Seen } from './event-counts.ts'
import { type Evening, figuresFor } from './figures.ts'
import { followLog } from './follow-log.ts'
import { type SessionCount, sessionCounter } from './session-counter.ts'

/** All requests within this time share one refresh, and the same figures. */
const FRESH_MS = 2_000
/** A command waits until all is read. */
const MOST_WAIT_MS = 600_000

export interface EveningDeps {
  readonly nowMs?: () => number
  readonly entryPoints?: () => readonly EntryPoint[] | null
  /** When viewers may watch, by features. */
  readonly events: readonly EventTimes[]
  /** After this time without a refresh, the last figures are shown. */
  readonly mostWaitMs?: number
}

export type EveningSource = ReturnType<typeof openEvening>

/** Opens the figures of the evening. A request reads them, at most every two seconds. */
export function openEvening(
  env: CommandIo['env'],
  { nowMs = Date.now, entryPoints = () => entryPointsIn(env), events, mostWaitMs = MOST_WAIT_MS }: EveningDeps,
) {
  const log = openLog(env, nowMs)
  const sessionsIn = sessionCounter(env, nowMs)
  const snapshots = new Map<string, Evening>()
  let refreshedMs = Number.NEGATIVE_INFINITY
  let copies: readonly Copy[] = []
  let readiness: Readiness | null = null
  let sessions: SessionCount | null = null

  const refresh = oneAtATime(async () => {
    const read = await Promise.all([readCopies(env), readReadiness(env), sessionsIn(), log.read()])
    copies = read[0]
    readiness = read[1]
    sessions = read[2]
    refreshedMs = nowMs()
    snapshots.clear()
  })
  async function fresh(): Promise<void> {
    if (nowMs() - refreshedMs < FRESH_MS) return
    await within(mostWaitMs, refresh())
  }
  return {
    /** Reads the new lines of the log, so that the first page after a pause need not wait. */
    readLog: log.read,
    /** @param seen the entry points that the manager sees. */
    async read(seen: Seen): Promise<Evening> {
      await fresh()
      const key = JSON.stringify(seen)
      const known = snapshots.get(key)
      if (known !== undefined && nowMs() - known.atMs < FRESH_MS) return known
      const ofLog = { logMissing: log.missing(), isReading: !log.isRead() }
      const read = { atMs: nowMs(), sessions, copies, readiness, ...ofLog }
      const figures = figuresFor(seen, log.counts, entryPoints() ?? [], read, events)
      snapshots.set(key, figures)
      return figures
    },
    /** Returns what the log says of the viewers of this evening. Null without a log. */
    async viewersIn(): Promise<Pick<EventCounts, 'whoIsIn' | 'areIn'> | null> {
      await within(mostWaitMs, log.read())
      return log.missing() === null ? log.counts : null
    },
    /** Forgets the figures that depend on settings, after an act. */
    forget: () => snapshots.clear(),
    /** Returns the last events of a viewer, as `viewers show` prints them. */
    lastEvents: (async (_env, viewer, part) => {
      await part(within(mostWaitMs, log.read()))
      if (!log.isRead() || log.missing() !== null) return await loggedEvents(env, viewer, part)
      return shownEvents({ files: [] }, log.counts.lastEventsOf(viewer))
    }) satisfies typeof loggedEvents,
    close: () => log.close(),
  }
}

/** Opens the security log, and counts its lines. */
function openLog(env: CommandIo['env'], nowMs: () => number) {
  const { readNew, missing, close } = followLog(env)
  const counts = openEventCounts(nowMs)
  let isRead = false
  const read = oneAtATime(async () => {
    await readNew(counts.add)
    counts.forgetOld()
    isRead = true
  })
  /** `isRead`: true after the first read to the end. */
  return { read, isRead: () => isRead, missing, counts, close }
}

/** Returns a function that does the work. A call during the work waits for the same work. */
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
  // Ignores a later failure: the next page tries again.
  work.catch(() => {})
  await Promise.race([work, sleep(mostMs, undefined, { ref: false })])
}
