import type { Page } from '../../video-service/analytics/analytics.ts'
import type { Question } from '../../video-service/analytics/report-question.ts'
import type { PeakRow } from '../../video-service/analytics/report-rows.ts'
import { isoWithOffset, type TimeZone } from '../output/time-zone.ts'
import { nextChange } from './calendar.ts'
import { inPieces, type Place, type PlacedPage, START } from './place.ts'

export type PeakQuestion = Extract<Question, { granularity?: unknown }>

const HOUR_MS = 3_600_000
const SECOND_MS = 1_000

/**
 * Divides a question by hour at each change of the clocks that is not by whole hours, as on Lord Howe Island. The service
 * counts hours by the offset in the question, so they would begin at half past after the change.
 */
export function peakPieces(question: PeakQuestion, zone: TimeZone): PeakQuestion[] {
  const toMs = Date.parse(question.period.to)
  const pieces: PeakQuestion[] = []
  let from = question.period.from
  const searched = question.granularity === 'hour' ? { fromMs: Date.parse(from) } : null
  while (searched !== null) {
    const changeMs = nextChange(zone, searched.fromMs, toMs)
    if (changeMs === null) break
    searched.fromMs = changeMs
    const before = zone.offsetMsAt(changeMs - 1)
    const after = zone.offsetMsAt(changeMs)
    if ((after - before) % HOUR_MS === 0) continue
    pieces.push({ ...question, period: { from, to: isoWithOffset(changeMs - SECOND_MS, before) } })
    from = isoWithOffset(changeMs, after)
  }
  return [...pieces, { ...question, period: { from, to: question.period.to } }]
}

/**
 * Fetches peaks page by page. An hour that the clocks cut short begins at their change.
 * @param ask fetches the pages of one question, from a place on.
 * @param start where an interrupted report goes on.
 */
export function localPeaks(
  question: PeakQuestion,
  zone: TimeZone,
  ask: (question: PeakQuestion, from: Place) => AsyncGenerator<Page<PeakRow>>,
  start: Place = START,
): AsyncGenerator<PlacedPage<PeakRow>> {
  const pieces = peakPieces(question, zone)
  return inPieces(pieces, start, async function* (piece, place) {
    const { from } = piece.period
    const startsHere = (row: PeakRow) =>
      piece !== pieces[0] && Date.parse(row.time) < Date.parse(from) ? { ...row, time: from } : row
    for await (const page of ask(piece, place)) yield { ...page, rows: page.rows.map(startsHere) }
  })
}
