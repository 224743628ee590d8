import type { Page } from '../../video-service/analytics/analytics.ts'
import type { SeriesRow } from '../../video-service/analytics/report-rows.ts'
import { localIso } from '../output/time-zone.ts'
import type { SeriesQuestion } from './local-pieces.ts'

type Totals = Readonly<Record<SeriesQuestion['report'], number>>

/** The numbers of the whole period, and of the equally long period before. */
export type SeriesTotals = Readonly<Record<'now' | 'before', Totals>>

const SECOND_MS = 1_000

/**
 * Fetches the totals of the period, channels and videos of a question.
 * @param ask fetches the pages of one question.
 */
export async function fetchTotals(
  question: SeriesQuestion,
  ask: (question: SeriesQuestion) => AsyncGenerator<Page<SeriesRow>>,
): Promise<SeriesTotals> {
  const [now, before] = await Promise.all([totalsOf(question, ask), totalsOf(periodBefore(question), ask)])
  return { now, before }
}

/** Both ends of a period count, so the period before ends a second earlier. */
function periodBefore(question: SeriesQuestion): SeriesQuestion {
  const fromMs = Date.parse(question.period.from)
  const toMs = Date.parse(question.period.to)
  const endMs = fromMs - SECOND_MS
  const period = { from: localIso(endMs - (toMs - fromMs), 'UTC'), to: localIso(endMs, 'UTC') }
  return { ...question, period }
}

async function totalsOf(
  question: SeriesQuestion,
  ask: (question: SeriesQuestion) => AsyncGenerator<Page<SeriesRow>>,
): Promise<Totals> {
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
