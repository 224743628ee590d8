import type { Page } from '../../video-service/analytics/analytics.ts'
import type { OddFields, SeriesRow } from '../../video-service/analytics/report-rows.ts'
import { UnexpectedAnswer } from '../../video-service/service-errors.ts'
import { localIso } from '../output/time-zone.ts'
import { nextOf, startOf, type TimeUnit } from './calendar.ts'
import { localPieces, type Piece, type SeriesQuestion, startsAt, timeUnitOf } from './local-pieces.ts'
import { inPieces, type Place, type PlacedPage, START } from './place.ts'
import { readTime } from './words.ts'

/** A row of a series. Rows by month, day and hour have the two marks. */
export interface LocalSeriesRow extends SeriesRow {
  /** True if the period starts or ends inside this month, day or hour. */
  readonly is_partial?: boolean
  /**
   * True if the number also has views that were running at the start. Only for devices and signed-in viewers, in a month
   * or day that is longer because the clocks change.
   */
  readonly has_running_views?: boolean
}

/**
 * Fetches a series page by page. Months, days and hours are those of the zone, also when the clocks change.
 * @param ask fetches the pages of one question, from a place on.
 * @param start where an interrupted report goes on.
 * If the service counts by other days than the offset of the question says, `point` stays as sent, and `odd` counts it.
 * @throws UnexpectedAnswer for such days if the clocks change, because the answers then cannot be joined.
 */
export function localSeries(
  question: SeriesQuestion,
  zone: string,
  ask: (question: SeriesQuestion, from: Place) => AsyncGenerator<Page<SeriesRow>>,
  start: Place = START,
): AsyncGenerator<PlacedPage<LocalSeriesRow>> {
  const unit = timeUnitOf(question)
  const pieces = localPieces(question, zone)
  const fromMs = pieces[0]?.fromMs ?? 0
  const endMs = pieces.at(-1)?.endMs ?? 0
  return inPieces(pieces, start, async function* (piece, place) {
    let { sum } = place
    for await (const page of ask(piece.question, place)) {
      const kept = unit === null || piece.use === 'all' ? page.rows : page.rows.filter((row) => isInside(row, piece))
      sum += kept.reduce((total, { value }) => total + value, 0)
      const isOneNumber = piece.use === 'sum' || piece.use === 'summary'
      const whole = isOneNumber && page.cursor === null && sum > 0 && unit !== null ? [wholeRow(unit, piece, sum)] : []
      const rows = (isOneNumber ? whole : kept).map((row) => (unit === null ? row : marked(row, unit, piece, page.odd)))
      yield { ...page, rows, sum }
    }
  })

  function wholeRow(dimension: TimeUnit, { fromMs: atMs, use }: Piece, value: number): LocalSeriesRow {
    return { dimension_type: dimension, point: localIso(atMs, zone), value, has_running_views: use === 'summary' }
  }
  function marked(row: LocalSeriesRow, dimension: TimeUnit, { use, offset }: Piece, odd: OddFields): LocalSeriesRow {
    const { dimension_type, value, has_running_views = false } = row
    const sentMs = readTime(row.point)
    const isAtStart = use === 'all' && row.point === question.period.from
    const isOdd = use === 'all' && !isAtStart && !isStart(sentMs, dimension, offset)
    if (isOdd) countOdd(odd, dimension)
    // The first month, day or hour can start before the period.
    const pointMs = isOdd ? sentMs : Math.max(sentMs, fromMs)
    const startMs = startOf(zone, dimension, pointMs)
    const shiftMs = isOdd ? sentMs - startMs : 0
    const is_partial = startMs + shiftMs < fromMs || nextOf(zone, dimension, pointMs) + shiftMs > endMs
    const isAsSent = isOdd || isAtStart || (use === 'all' && pointMs > fromMs)
    const point = isAsSent ? row.point : localIso(startMs, zone)
    return { dimension_type, point, value, is_partial, has_running_views }
  }
  function isStart(timeMs: number, dimension: TimeUnit, offset: string): boolean {
    return startsAt(dimension, timeMs, offset) || startOf(zone, dimension, timeMs) === timeMs
  }
}

function countOdd(odd: OddFields, unit: TimeUnit): void {
  const words = `point is not the start of a ${unit} in the time zone of the question, and stays as sent`
  odd.set(words, (odd.get(words) ?? 0) + 1)
}

/** True if the row counts in the piece. A row before the first piece has the start of the month, day or hour. */
function isInside(row: SeriesRow, { question, use, offset, fromMs, endMs }: Piece): boolean {
  if (use === 'summary') return true
  const timeMs = readTime(row.point)
  const askedFromMs = Date.parse(question.period.from)
  const unit = timeUnitOf(question)
  if (unit !== null && !startsAt(unit, timeMs, offset) && timeMs !== askedFromMs) {
    throw new UnexpectedAnswer(
      `The service does not count by the ${unit}s of the time zone in the question, and the clocks change in this period. Choose a period without a change of the clocks`,
    )
  }
  return (timeMs >= fromMs || askedFromMs === fromMs) && timeMs < endMs
}
