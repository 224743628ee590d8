import type { DatabaseSync } from 'node:sqlite'
import type { Question } from '../../../video-service/analytics/report-question.ts'
import type { PeakRow, ViewerRow, ViewRow } from '../../../video-service/analytics/report-rows.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { nameWords } from '../../output/words.ts'
import { type ContentTitles, contentName } from '../content-titles.ts'
import type { LocalSeriesRow } from '../local-rows.ts'
import type { SeriesTotals } from '../series-totals.ts'
import { readTime } from '../words.ts'
import type { PageCollector } from './page-collector.ts'
import { peaksPage } from './peaks-page.ts'
import { seriesPage } from './series-page.ts'
import { viewersPage } from './viewers-page.ts'
import { viewsPage } from './views-page.ts'

/** Returns the period of the report, or null for all time. An end that the question leaves out is infinite. */
export function rangeOf(question: Question): TimeRange | null {
  const { from, to } = question.period ?? {}
  if (from === undefined && to === undefined) return null
  const fromMs = from === undefined ? Number.NEGATIVE_INFINITY : readTime(from)
  // Both ends can be the same second.
  return { fromMs, toMs: to === undefined ? Number.POSITIVE_INFINITY : Math.max(readTime(to), fromMs + 1000) }
}

interface PageContext {
  readonly nowMs: number
  readonly zone: string
  /** The totals of a series. Null if the page shows none. */
  readonly totals: SeriesTotals | null
  /** An empty database for the rows. */
  readonly database: DatabaseSync
}

/**
 * Returns the collector for the rows of this report.
 * @throws RangeError if a report other than `viewers` has no period.
 */
export function collectorFor(
  question: Question,
  { nowMs, zone, totals, database }: PageContext,
): PageCollector<ViewerRow & ViewRow & LocalSeriesRow & PeakRow> {
  const range = rangeOf(question)
  if (question.report === 'viewers') return viewersPage(range, nowMs)
  if (range === null) throw new RangeError('This report needs a period')
  switch (question.report) {
    case 'views':
      return viewsPage(range, nowMs, zone, database)
    case 'peak-viewer-numbers':
      return peaksPage(question.granularity ?? 'minute', range, zone, database)
    default:
      return seriesPage({ report: question.report, dimension: question.dimension, range, zone, totals })
  }
}

/** Describes the filters of the report. */
export function scopeWords(question: Question, titles: ContentTitles): string {
  const { contentType, contentIds } = question
  const kind = contentType === 'live' ? 'Live broadcasts' : 'Recorded videos'
  const names = contentIds?.map((id) => contentName(contentType ?? 'live', id, titles)) ?? []
  const ofType = names.length === 0 ? kind : `${kind}: ${names.join(', ')}`
  const scope = contentType === undefined ? 'All live broadcasts and recorded videos' : ofType
  const viewer = 'viewerIdentifier' in question ? question.viewerIdentifier : undefined
  return viewer === undefined ? scope : `${scope}; viewers whose name contains “${nameWords(viewer)}”`
}
