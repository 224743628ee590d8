import type { ViewRow } from '../../../video-service/analytics/report-rows.ts'
import type { PageModel, Section } from '../../html-page/page-model.ts'
import { barsChart, type Span } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { numberWords, shareWords } from '../../output/words.ts'
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

/** Counts viewers by the time that they watched. @param classes in ascending order. The last one has no upper limit. */
export function watchedClasses(classes: readonly (readonly [name: string, belowMs: number])[]) {
  const counts = classes.map(() => 0)
  return {
    add(watchedMs: number): void {
      const index = classes.findIndex(([, belowMs]) => watchedMs < belowMs)
      counts[index] = (counts[index] ?? 0) + 1
    },
    section(viewers: number): Section {
      const rows = classes.map(([name], index) => {
        const value = counts[index] ?? 0
        return { name, value, aside: `${numberWords(value)} · ${shareWords(value, viewers)}` }
      })
      return { title: 'Time watched', words: 'Viewers by time watched.', chart: barsChart(rows, viewers) }
    },
  }
}

/** Returns a page for a report without rows. */
export function nothing(title: string, summary = 'No views in this period.'): PageModel {
  return { title, summary, figures: [], sections: [], notes: [] }
}
