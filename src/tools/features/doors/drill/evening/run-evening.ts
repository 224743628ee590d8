import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Browser, browsersUntil } from '../../../../cli/drill/crowd/browser.ts'
import type { ExpectedResponse } from '../../../../cli/drill/crowd/expected-response.ts'
import { startTimetable, type Timetable } from '../../../../cli/drill/crowd/timetable.ts'
import { stepOf } from '../../../../cli/drill/verdict/moment.ts'
import type { EveningTimes, PlannedEvening } from './evening-plan.ts'
import { type EveningAttempt, type EveningVisit, playEvening } from './evening-visit.ts'

/** A part of the evening. Times are in milliseconds since the start. */
export type WaveMoment = ReturnType<typeof waveOf>[number]

/**
 * Watches with a response until it is time to leave, or the drill is stopped.
 * @param returnAddress the address of the player, to which the app led the viewer.
 * @param leavesMs in milliseconds since the start.
 * @returns false if the viewer cannot watch.
 */
export type Watch = (returnAddress: URL, response: string, timetable: Timetable, leavesMs: number) => Promise<boolean>

/** A service at which viewers of an evening watch. A fork may delete it. */
export interface Audience {
  addOptions(command: Command): Command
  /** Null if the options do not ask for this service. */
  open(options: object): Watch | null
}

export interface Evening {
  readonly url: URL
  readonly visits: readonly PlannedEvening[]
  readonly times: EveningTimes
  readonly expected: ExpectedResponse
  readonly overMs: number
  /** Watches with a response. Null if the evening ends at the player. */
  readonly watch: Watch | null
  /** The limit on the screens of a viewer. Null without a limit. */
  readonly screens: { readonly most: number; readonly reason: string } | null
}

/** The events of an evening. Times are in milliseconds since the start. */
export interface EveningRecord {
  /** The exception: UNIX time in milliseconds. */
  readonly startedAtMs: number
  endedMs: number
  readonly attempts: EveningAttempt[]
  readonly visits: EveningVisit[]
  /** True for each viewer who watched, false for each who could not. */
  readonly watched: boolean[]
}

/** A moment that the operator and the page see. */
export interface Mark {
  readonly atMs: number
  readonly words: string
}

export interface EveningRun {
  readonly stop: AbortSignal
  /** Moves the doors to other times: UNIX milliseconds. */
  readonly moveDoors: (opensMs: number) => void
  readonly onStart: (record: EveningRecord, nowMs: () => number) => void
}

/** A viewer types for 5 s, in a short evening for a fiftieth of it. After the opening, viewers are as quick. */
const TYPING_MS = 5_000
/** The last viewers may have to wait for a Retry-After of 30 s. */
const PATIENCE_MS = 60_000

/** Returns the moments of an evening, in milliseconds since its start. */
export function marksOf({ movesMs, firstOpeningMs, opensMs, closesMs }: EveningTimes, startedAtMs: number): Mark[] {
  return [
    { atMs: movesMs - startedAtMs, words: 'start moved' },
    { atMs: firstOpeningMs - startedAtMs, words: 'first start' },
    { atMs: opensMs - startedAtMs, words: 'doors open' },
    { atMs: closesMs - startedAtMs, words: 'end' },
  ]
}

/**
 * Plays an evening whose doors stand at the first opening, and moves them once. After a stop, it ends at once.
 * @throws the error of `moveDoors`.
 */
export async function runEvening(evening: Evening, { stop, moveDoors, onStart }: EveningRun): Promise<EveningRecord> {
  const { times, visits } = evening
  await sleep(times.startsMs - Date.now(), undefined, { signal: stop }).catch(() => {})
  const failure = new AbortController()
  const end = AbortSignal.any([stop, failure.signal])
  const timetable = startTimetable(end)
  const startedAtMs = Date.now()
  const record: EveningRecord = { startedAtMs, endedMs: 0, attempts: [], visits: [], watched: [] }
  onStart(record, timetable.nowMs)
  let opensMs = times.firstOpeningMs - startedAtMs
  const move = async () => {
    if (!(await timetable.until(times.movesMs - startedAtMs))) return
    moveDoors(times.opensMs)
    opensMs = times.opensMs - startedAtMs
  }
  const moving = move().catch((error: unknown) => {
    failure.abort()
    throw error
  })
  const open = browsersUntil(end, evening.url.origin)
  const crowd = { evening, record, timetable, open, opensMs: () => opensMs }
  await Promise.all(visits.map((plan) => play(plan, crowd)))
  await moving
  record.endedMs = timetable.nowMs()
  return record
}

interface Crowd {
  readonly evening: Evening
  readonly record: EveningRecord
  readonly timetable: Timetable
  readonly open: () => Browser
  readonly opensMs: () => number
}

/** Plays one viewer with all screens, until the viewer has left the video too. */
async function play(plan: PlannedEvening, { evening, record, timetable, open, opensMs }: Crowd): Promise<void> {
  const { url, times, expected, overMs, screens } = evening
  if (!(await timetable.until(plan.arrivesMs))) return
  const screensOfViewer: Browser[] = []
  const openScreen = () => {
    const opened = open()
    screensOfViewer.push(opened)
    return opened
  }
  const watching: Promise<unknown>[] = []
  await playEvening(plan, {
    browser: openScreen(),
    openOther: openScreen,
    screens,
    timetable,
    url,
    expected,
    opensMs,
    begin: (visit) => void record.visits.push(visit),
    record: (attempt) => void record.attempts.push(attempt),
    watch({ address, response }) {
      const watched = evening.watch?.(address, response, timetable, plan.leavesMs)
      if (watched) watching.push(watched.then((isWatched) => record.watched.push(isWatched)))
    },
    closesMs: times.closesMs - record.startedAtMs,
    typingMs: Math.min(TYPING_MS, overMs / 50),
    lastMs: overMs + PATIENCE_MS,
  })
  for (const browser of screensOfViewer) browser.close()
  await Promise.all(watching)
}

/** Divides the whole evening. A part begins at the opening, and the first one may begin before the start. */
export function wholeWave(record: EveningRecord, opensMs: number): WaveMoment[] {
  const stepMs = stepOf(record.endedMs)
  return waveOf(record, (opensMs % stepMs) - stepMs, record.endedMs, stepMs)
}

/** Divides a time of the evening into equal parts, and counts what viewers did in each. */
export function waveOf({ visits }: EveningRecord, fromMs: number, toMs: number, stepMs: number) {
  const parts = Math.max(1, Math.ceil((toMs - fromMs) / stepMs))
  const countIn = (times: readonly (number | null | undefined)[]) => {
    const counts = Array.from({ length: parts }, () => 0)
    for (const timeMs of times) {
      const part = Math.floor(((timeMs ?? Number.NaN) - fromMs) / stepMs)
      if (counts[part] !== undefined) counts[part] += 1
    }
    return counts
  }
  const arrived = countIn(visits.map(({ arrivedMs }) => arrivedMs))
  const admitted = countIn(visits.map(({ gotInMs }) => gotInMs))
  const returned = countIn(visits.map((visit) => (visit.return?.isIn ? visit.return.atMs : null)))
  const refused = countIn(visits.map(({ afterEnd }) => (afterEnd && !afterEnd.isIn ? afterEnd.atMs : null)))
  const isBefore = (timeMs: number | null, endMs: number) => timeMs !== null && timeMs < endMs
  return Array.from({ length: parts }, (_, index) => {
    const endMs = fromMs + (index + 1) * stepMs
    const inside = visits.filter(({ gotInMs }) => isBefore(gotInMs, endMs)).length
    const held = visits.filter((visit) => isBefore(visit.waitedFromMs, endMs) && !isBefore(visit.gotInMs, endMs)).length
    return {
      fromMs: fromMs + index * stepMs,
      toMs: Math.min(endMs, toMs),
      arrived: arrived?.[index] ?? 0,
      /** Got in for the first time. */
      admitted: admitted?.[index] ?? 0,
      returned: returned?.[index] ?? 0,
      refusedAfterEnd: refused?.[index] ?? 0,
      /** At the end of the part: those who wait for the opening, and those who got in. */
      waiting: held,
      inside,
    }
  })
}
