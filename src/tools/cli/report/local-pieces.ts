import type { Question } from '../../video-service/analytics/report-question.ts'
import { localIso, zonedTime } from '../output/time-zone.ts'
import { nextChange, nextOf, startOf, type TimeUnit } from './calendar.ts'

export type SeriesQuestion = Extract<Question, { dimension: unknown }>

/** One question about a part of the period, and the use of its rows. */
export interface Piece {
  readonly question: SeriesQuestion
  /**
   * `all`: the rows are those of the report. `inside`: only the rows from `fromMs` to before `endMs` are, and the service
   * must count by the given offset. `sum`: the sum of these rows is the number of one month, day or hour, which starts
   * at `fromMs`. `summary`: the same, and the number also has views that were running at the start.
   */
  readonly use: 'all' | 'inside' | 'sum' | 'summary'
  readonly offset: string
  readonly fromMs: number
  readonly endMs: number
}

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** Returns the calendar unit of a question by month, day or hour. */
export function timeUnitOf({ dimension }: SeriesQuestion): TimeUnit | null {
  return dimension === 'month' || dimension === 'day' || dimension === 'hour' ? dimension : null
}

/**
 * Divides a question by month, day or hour, so that the numbers are those of local months, days and hours. The service
 * counts by the offset of `date_time_from`, so a period in which the clocks change needs a piece for each offset. A
 * month or day with 23 or 25 hours is a piece of its own.
 *
 * The documentation does not say where a view counts that runs over midnight. This division is right if the service
 * counts a view in the month, day or hour of its start, and a view that started before the period in the first one. So a
 * piece starts a second early, and the row of this second is dropped.
 */
export function localPieces(question: SeriesQuestion, zone: string): Piece[] {
  const unit = timeUnitOf(question)
  const fromMs = Date.parse(question.period.from)
  const toMs = Date.parse(question.period.to)
  const endMs = toMs + SECOND_MS
  const whole = { question, use: 'all', offset: zonedTime(fromMs, zone).offset, fromMs, endMs } as const
  if (unit === null || nextChange(zone, fromMs, toMs) === null) return [whole]
  const pieces: Piece[] = []
  for (let atMs = fromMs; atMs < endMs; atMs = pieces.at(-1)?.endMs ?? endMs) {
    pieces.push(pieceFrom(atMs, { question, unit, zone, periodFromMs: fromMs, periodToMs: toMs }))
  }
  return pieces
}

interface Division {
  readonly question: SeriesQuestion
  readonly unit: TimeUnit
  readonly zone: string
  readonly periodFromMs: number
  /** The last second of the period. */
  readonly periodToMs: number
}

function pieceFrom(fromMs: number, { question, unit, zone, periodFromMs, periodToMs }: Division): Piece {
  const isFirst = fromMs === periodFromMs
  const limitMs = periodToMs + SECOND_MS
  const offset = offsetFor(zone, unit, fromMs, isFirst)
  const countedEndMs = Math.min(nextOf(offset, unit, fromMs), limitMs)
  const localEndMs = Math.min(nextOf(zone, unit, fromMs), limitMs)
  const askFor = (endMs: number, dimension: SeriesQuestion['dimension'] = unit, earlyMs = SECOND_MS) => {
    const iso = (timeMs: number) => localIso(timeMs, offset)
    const period = { from: iso(isFirst ? fromMs : fromMs - earlyMs), to: iso(endMs - SECOND_MS) }
    return { ...question, dimension, period }
  }
  const piece = { offset, fromMs }
  if (countedEndMs === localEndMs) {
    const changeMs = nextChange(zone, fromMs, periodToMs)
    const lastMs = changeMs === null ? limitMs : lastStart(zone, unit, changeMs, offset)
    const endMs = Math.max(lastMs, localEndMs)
    // The first piece is asked to the end of the period, for the views that started before the period.
    return { ...piece, use: 'inside', endMs, question: askFor(isFirst ? limitMs : endMs) }
  }
  const endMs = localEndMs
  if (countedEndMs > endMs) return { ...piece, use: 'sum', endMs, question: askFor(endMs) }
  if (question.report !== 'total-views') {
    return { ...piece, use: 'summary', endMs, question: askFor(endMs, 'summary', 0) }
  }
  const isWholeHours = startsAt('hour', endMs, offset)
  return { ...piece, use: 'sum', endMs, question: askFor(isFirst && isWholeHours ? limitMs : endMs, 'hour') }
}

/** Returns the start of the month or day that contains the change, or of the last whole hour of this offset before it. */
function lastStart(zone: string, unit: TimeUnit, changeMs: number, offset: string): number {
  return startOf(unit === 'hour' ? offset : zone, unit, changeMs)
}

/**
 * Returns an offset in which a month, day or hour starts at this time. A day that starts at 01:00 has the old offset. On
 * the Chatham Islands an hour starts at 02:45, so no offset of the zone will do. The first hour can be cut: it ends at
 * the start of an hour.
 */
function offsetFor(zone: string, unit: TimeUnit, timeMs: number, isFirst: boolean): string {
  const { offset } = zonedTime(timeMs, zone)
  if (isFirst && unit !== 'hour') return offset
  const startMs = isFirst ? nextOf(zone, unit, timeMs) : timeMs
  const ofHour = `-${new Date(startMs % HOUR_MS).toISOString().slice(11, 16)}`
  return [offset, zonedTime(timeMs - 1, zone).offset].find((one) => startsAt(unit, startMs, one)) ?? ofHour
}

/** True if a month, day or hour starts at this time. @param offset such as `+01:00`. */
export function startsAt(unit: TimeUnit, timeMs: number, offset: string): boolean {
  return startOf(offset, unit, timeMs) === timeMs
}
