import type { Page } from '../../video-service/analytics/analytics.ts'
import type { SeriesRow } from '../../video-service/analytics/report-rows.ts'
import type { SeriesQuestion } from './local-pieces.ts'

/** The numbers of the whole period. */
export type SeriesTotals = Readonly<Record<SeriesQuestion['report'], number>>

/**
 * Fetches the totals of the period, channels and videos of a question.
 * @param ask fetches the pages of one question.
 */
export async function fetchTotals(
  question: SeriesQuestion,
  ask: (question: SeriesQuestion) => AsyncGenerator<Page<SeriesRow>>,
): Promise<SeriesTotals> {
  const totalOf = async (report: SeriesQuestion['report']) => {
    let total = 0
    for await (const { rows } of ask({ ...question, report, dimension: 'summary' })) {
      for (const { value } of rows) total += value
    }
    return total
  }
  const [views, devices, viewers] = await Promise.all([
    totalOf('total-views'),
    totalOf('unique-devices'),
    totalOf('authenticated-viewers'),
  ])
  return { 'total-views': views, 'unique-devices': devices, 'authenticated-viewers': viewers }
}
