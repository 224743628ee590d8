import type { Question } from '../../../video-service/report-question.ts'
import type { PeakRow, SeriesRow, ViewerRow, ViewRow } from '../../../video-service/report-rows.ts'
import type { TimeRange } from '../chart/chart.ts'
import type { PageCollector } from './page-model.ts'
import { peaksPage } from './peaks-page.ts'
import { seriesPage } from './series-page.ts'
import { viewersPage } from './viewers-page.ts'
import { viewsPage } from './views-page.ts'
import { readTime } from './words.ts'

/** The period of the question; null for all time. A period that is open at one side is given in whole by the caller. */
export function rangeOf(question: Question): TimeRange | null {
  const { from, to } = question.period ?? {}
  if (from === undefined || to === undefined) return null
  const fromMs = readTime(from)
  // Times are sent in whole seconds, so both ends may be the same.
  return { fromMs, toMs: Math.max(readTime(to), fromMs + 1000) }
}

/** What collects the rows that a question is answered with. */
export function collectorFor(
  question: Question,
  nowMs: number,
): PageCollector<ViewerRow & ViewRow & SeriesRow & PeakRow> {
  const range = rangeOf(question)
  if (question.report === 'viewers') return viewersPage(range, nowMs)
  if (range === null) throw new RangeError('This report has a period always')
  switch (question.report) {
    case 'views':
      return viewsPage(range, nowMs)
    case 'peak-viewer-numbers':
      return peaksPage(question.granularity ?? 'minute', range)
    default:
      return seriesPage(question.report, question.dimension, range)
  }
}
