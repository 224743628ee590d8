import type { ViewRow } from '../../../video-service/report-rows.ts'
import type { Span } from '../../html-page/rows-chart.ts'
import { timeBuckets } from '../../output/time-buckets.ts'
import type { TimeRange } from '../../output/time-range.ts'
import type { TimeZone } from '../../output/time-zone.ts'
import { nextOf, startOf } from '../calendar.ts'
import { contentName } from '../content-titles.ts'
import { createRanking } from './bounded-ranking.ts'
import { type Concurrency, createConcurrency, type Minute } from './concurrency.ts'
import { createDifferentCount } from './different-count.ts'
import { type PageCollector, spanOf } from './page-collector.ts'
import { spread } from './spread.ts'
import { createTimelineBins, markSpan } from './timeline-bins.ts'
import {
  highestOf,
  MOST_NAMES,
  type PeriodPart,
  type Rankings,
  viewsModel,
  type Watched,
  type Watcher,
} from './views-model.ts'

const MINUTE_MS = 60_000
/** The busiest day is drawn from the first to the last minute with this share of the peak. */
const QUIET_SHARE = 0.05

/**
 * Collects who watched what and when. Sums, times and the numbers over time are exact. The lists of places, devices,
 * content and viewers are exact up to 40,000 names (see createRanking). Only watching inside the period counts, and an
 * unfinished view counts until now.
 * @param range the period of the report.
 */
export function viewsPage(range: TimeRange, nowMs: number, zone: TimeZone): PageCollector<ViewRow> {
  const buckets = timeBuckets(range, zone)
  const watchedMs = new Float64Array(buckets.bordersMs.length)
  const concurrency = createConcurrency(range)
  const totals = { views: 0, ms: 0, liveMs: 0, mobile: 0, unfinished: 0, unnamed: 0 }
  const [devices, viewers] = [createDifferentCount(), createDifferentCount()]
  const rankings = createRankings()
  return {
    add(row) {
      const span = spanOf(row, range, nowMs)
      const ms = Math.max(0, span.toMs - span.fromMs)
      totals.views += 1
      totals.ms += ms
      totals.liveMs += span.layer === 0 ? ms : 0
      totals.mobile += row.is_mobile_view ? 1 : 0
      totals.unfinished += row.finished_at ? 0 : 1
      if (row.client_id) devices.add(row.client_id)
      if (row.viewer_identifier) viewers.add(row.viewer_identifier)
      else totals.unnamed += 1
      concurrency.add(span)
      spread(buckets.bordersMs, span, (bucket, part) => {
        watchedMs[bucket] = (watchedMs[bucket] ?? 0) + part
      })
      addToRankings(rankings, row, span, ms, range)
    },
    model(titles) {
      const parts = partsOf(buckets.bordersMs, watchedMs, concurrency)
      const minutes = buckets.stepMs > MINUTE_MS ? busiestDay(parts, concurrency, zone, range) : []
      const bucketWords = buckets.lengthWords
      return viewsModel({ range, parts, minutes, bucketWords, totals, devices, viewers, rankings, titles })
    },
  }
}

/** Returns the minutes of the day with the highest peak, without its quiet begin and end. */
function busiestDay(
  parts: readonly PeriodPart[],
  concurrency: Concurrency,
  zone: TimeZone,
  range: TimeRange,
): readonly Minute[] {
  const { timeMs } = highestOf(parts)
  const dayMs = startOf(zone, 'day', timeMs)
  const minutes = concurrency.minutesOf({
    fromMs: Math.max(range.fromMs, dayMs),
    toMs: Math.min(range.toMs, nextOf(zone, 'day', dayMs)),
  })
  const most = Math.max(...minutes.map(({ atOnce }) => atOnce))
  const isBusy = ({ atOnce }: Minute) => atOnce >= most * QUIET_SHARE
  return minutes.slice(minutes.findIndex(isBusy), minutes.findLastIndex(isBusy) + 1)
}

function createRankings(): Rankings {
  const create = () => ({ views: 0, ms: 0 })
  const byViews = () => createRanking<Watched>({ most: MOST_NAMES, create, weightOf: ({ views }) => views })
  return {
    content: createRanking<Watched>({ most: MOST_NAMES, create, weightOf: ({ ms }) => ms }),
    countries: byViews(),
    cities: byViews(),
    systems: byViews(),
    browsers: byViews(),
    viewers: createRanking<Watcher>({
      most: MOST_NAMES,
      create: () => ({ views: 0, ms: 0, bins: createTimelineBins() }),
      weightOf: ({ ms }) => ms,
    }),
  }
}

function addToRankings(to: Rankings, row: ViewRow, span: Span, ms: number, range: TimeRange): void {
  const { browser, os } = row.device_info ?? {}
  const country = row.country || 'Unknown'
  const entries: Watched[] = [
    to.content.entryOf(contentName(row.content_type, row.content_id)),
    to.countries.entryOf(country),
    to.cities.entryOf([row.city, country].filter(Boolean).join(', ')),
    to.systems.entryOf(os?.family || 'Unknown'),
    to.browsers.entryOf(browser?.family || 'Unknown'),
  ]
  if (row.viewer_identifier) {
    const watcher = to.viewers.entryOf(row.viewer_identifier)
    entries.push(watcher)
    markSpan(watcher.bins, span, range)
  }
  for (const entry of entries) {
    entry.views += 1
    entry.ms += ms
  }
}

function partsOf(bordersMs: readonly number[], watchedMs: Float64Array, concurrency: Concurrency): PeriodPart[] {
  return concurrency.highest(bordersMs).map((peak, bucket) => {
    const [fromMs = 0, toMs = 0] = [bordersMs[bucket], bordersMs[bucket + 1]]
    return { fromMs, toMs, peak, average: (watchedMs[bucket] ?? 0) / (toMs - fromMs) }
  })
}
