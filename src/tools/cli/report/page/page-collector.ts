import type { ViewRow } from '../../../video-service/report-rows.ts'
import type { PageModel } from '../../html-page/page-model.ts'
import type { Span } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'
import type { ContentTitles } from '../content-titles.ts'
import { readTime } from '../words.ts'

/** Takes rows one by one, and keeps only what the page shows. */
export interface PageCollector<Row> {
  add(row: Row): void
  model(titles: ContentTitles): PageModel
}

/** The two layers of a span. */
export const LIVE_AND_RECORDED = ['Live', 'Recorded'] as const

type Segment = Pick<ViewRow, 'content_type' | 'started_at' | 'finished_at'>

/** Returns the part of a segment inside the range. An unfinished segment counts until now. */
export function spanOf(segment: Segment, range: TimeRange, nowMs: number): Span {
  const fromMs = Math.max(range.fromMs, readTime(segment.started_at))
  const toMs = Math.min(range.toMs, segment.finished_at ? readTime(segment.finished_at) : nowMs)
  return { fromMs, toMs: Math.max(fromMs, toMs), layer: segment.content_type === 'live' ? 0 : 1 }
}

/** Returns a page for a report without rows. */
export function nothing(title: string, summary = 'No views in this period.'): PageModel {
  return { title, summary, figures: [], sections: [], notes: [] }
}
