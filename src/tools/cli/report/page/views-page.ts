import type { DatabaseSync } from 'node:sqlite'
import type { ViewRow } from '../../../video-service/analytics/report-rows.ts'
import { timeBuckets } from '../../output/time-buckets.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { nextOf, startOf } from '../calendar.ts'
import { contentName } from '../content-titles.ts'
import { concurrencyOf, highestOf, type PeriodPart, viewersAt } from './concurrency.ts'
import { type PageCollector, spanOf } from './page-collector.ts'
import { createTimeline, type Timeline } from './timeline.ts'
import { createViewTable, type ViewTable } from './view-table.ts'
import { SHOWN_VIEWERS, viewsModel } from './views-model.ts'

const MINUTE_MS = 60_000
/** The busiest day is drawn from the first to the last minute with this share of the peak. */
const QUIET_SHARE = 0.05

/**
 * Collects who watched what and when. All numbers are exact. Only watching inside the period counts, and an unfinished
 * view counts until now.
 * @param range the period of the report.
 */
export function viewsPage(
  range: TimeRange,
  nowMs: number,
  zone: string,
  database: DatabaseSync,
): PageCollector<ViewRow> {
  const buckets = timeBuckets(range, zone)
  const views = createViewTable(database)
  return {
    add(row) {
      const { browser, os } = row.device_info ?? {}
      const country = row.country || 'Unknown'
      views.add({
        ...spanOf(row, range, nowMs),
        viewer: row.viewer_identifier || null,
        device: row.client_id || null,
        content: contentName(row.content_type, row.content_id),
        country,
        city: [row.city, country].filter(Boolean).join(', '),
        system: os?.family || 'Unknown',
        browser: browser?.family || 'Unknown',
        isMobile: row.is_mobile_view === true,
        isRunning: !row.finished_at,
      })
    },
    model(titles) {
      const parts = concurrencyOf(views.changes(range), buckets.bordersMs)
      const minutes = buckets.stepMs > MINUTE_MS ? busiestDay(views, parts, zone, range) : []
      const viewers = views.ranking('viewer', 'ms', SHOWN_VIEWERS)
      const timelines = timelinesOf(
        views,
        viewers.top.map(({ name }) => name),
        range,
      )
      return viewsModel({ range, parts, minutes, bucketWords: buckets.lengthWords, views, viewers, timelines, titles })
    },
  }
}

/** Returns the minutes of the day with the highest peak, without its quiet begin and end. */
function busiestDay(
  views: ViewTable,
  parts: readonly PeriodPart[],
  zone: string,
  range: TimeRange,
): readonly PeriodPart[] {
  const dayMs = startOf(zone, 'day', highestOf(parts).timeMs)
  const fromMs = Math.max(range.fromMs, dayMs)
  const toMs = Math.min(range.toMs, nextOf(zone, 'day', dayMs))
  const bordersMs = Array.from({ length: Math.ceil((toMs - fromMs) / MINUTE_MS) }, (_, at) => fromMs + at * MINUTE_MS)
  const minutes = concurrencyOf(views.changes({ fromMs, toMs }), [...bordersMs, toMs])
  const most = viewersAt(highestOf(minutes))
  const isBusy = ({ peak }: PeriodPart) => viewersAt(peak) >= most * QUIET_SHARE
  return minutes.slice(minutes.findIndex(isBusy), minutes.findLastIndex(isBusy) + 1)
}

/** Returns when each of the viewers watched. */
function timelinesOf(views: ViewTable, viewers: readonly string[], range: TimeRange): ReadonlyMap<string, Timeline> {
  const timelines = new Map(viewers.map((name) => [name, createTimeline(range)]))
  for (const { viewer, ...span } of views.spansOf(viewers)) timelines.get(viewer)?.mark(span)
  return timelines
}
