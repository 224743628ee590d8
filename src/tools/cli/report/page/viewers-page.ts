import type { ViewerRow } from '../../../video-service/analytics/report-rows.ts'
import type { PageModel, Section } from '../../html-page/page-model.ts'
import { type Span, timelinesChart } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { countWords, nameWords, numberWords, shareWords, timeWords } from '../../output/words.ts'
import { durationWords, readTime } from '../words.ts'
import { LIVE_AND_RECORDED, nothing, type PageCollector, spanOf, watchedClasses } from './page-collector.ts'
import { createTimeline } from './timeline.ts'

const SHOWN_VIEWERS = 20
const HOUR_MS = 3_600_000
const ALL_TIME: TimeRange = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const WATCHED_CLASSES: readonly (readonly [name: string, belowMs: number])[] = [
  ['Under 5 minutes', HOUR_MS / 12],
  ['5 to 30 minutes', HOUR_MS / 2],
  ['30 minutes to 1 hour', HOUR_MS],
  ['1 to 5 hours', 5 * HOUR_MS],
  ['5 hours and more', Number.POSITIVE_INFINITY],
]

interface Watcher {
  readonly name: string
  readonly ms: number
  readonly videos: number
  readonly lastActivityMs: number
  readonly spans: readonly Span[]
}

/**
 * Collects all viewers, and the segments of the top 20. All numbers are exact, because a row has all segments of a
 * viewer. An unfinished segment counts until now.
 * @param range the period of the report; null for all time. An end can be infinite.
 */
export function viewersPage(range: TimeRange | null, nowMs: number): PageCollector<ViewerRow> {
  let top: Watcher[] = []
  const classes = watchedClasses(WATCHED_CLASSES)
  const totals = { viewers: 0, ms: 0, segments: 0, liveMs: 0 }
  return {
    add(row) {
      const spans = row.segments.map((segment) => spanOf(segment, range ?? ALL_TIME, nowMs))
      const ms = lengthOf(spans)
      totals.viewers += 1
      totals.segments += spans.length
      totals.ms += ms
      totals.liveMs += lengthOf(spans.filter(({ layer }) => layer === 0))
      classes.add(ms)
      const least = top[SHOWN_VIEWERS - 1]
      if (least !== undefined && least.ms >= ms) return
      const name = nameWords(row.viewer_identifier)
      const lastActivityMs = readTime(row.last_activity)
      top.push({ name, ms, videos: row.videos_watched ?? 0, lastActivityMs, spans })
      top = top.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN_VIEWERS)
    },
    model: () => viewersModel(range, top, classes.section(totals.viewers), totals),
  }
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
}

function viewersModel(
  asked: TimeRange | null,
  top: readonly Watcher[],
  timeWatched: Section,
  totals: { viewers: number; ms: number; segments: number; liveMs: number },
): PageModel {
  const title = 'Viewers'
  if (totals.viewers === 0) return nothing(title, `No signed-in viewers ${asked === null ? 'yet' : 'in this period'}.`)
  const each = totals.ms / totals.viewers
  const isBounded = asked !== null && Number.isFinite(asked.toMs - asked.fromMs)
  const range = isBounded ? asked : rangeOf(top)
  return {
    title,
    summary: `${countWords(totals.viewers, 'signed-in viewer')} watched ${durationWords(totals.ms)} in ${countWords(totals.segments, 'view')}, ${shareWords(totals.liveMs, totals.ms)} of it live; ${durationWords(each)} each on average.`,
    figures: [
      { value: numberWords(totals.viewers), label: totals.viewers === 1 ? 'signed-in viewer' : 'signed-in viewers' },
      { value: durationWords(totals.ms), label: 'watched' },
      { value: durationWords(each), label: 'per viewer on average' },
      { value: shareWords(totals.liveMs, totals.ms), label: 'of it live' },
    ],
    sections: [timeWatched, ...(range === null ? [] : [timelines(range, top, totals.viewers)])],
    notes: [
      'Viewers are signed-in viewers. A view was watched without a break. Play, pause and seek start a new view.',
    ],
  }
}

/** Returns the time from the first to the last span, or null if nothing was watched. */
function rangeOf(top: readonly Watcher[]): TimeRange | null {
  let fromMs = Number.POSITIVE_INFINITY
  let toMs = Number.NEGATIVE_INFINITY
  for (const span of top.flatMap(({ spans }) => spans)) {
    fromMs = Math.min(fromMs, span.fromMs)
    toMs = Math.max(toMs, span.toMs)
  }
  return fromMs < toMs ? { fromMs, toMs } : null
}

function timelines(range: TimeRange, top: readonly Watcher[], viewers: number): Section {
  return {
    title: 'Top viewers',
    words: `When each ${top.length < viewers ? `of the top ${top.length} of ${numberWords(viewers)} viewers` : 'viewer'} watched.`,
    chart: timelinesChart(
      range,
      top.map(({ name, ms, spans }) => ({
        name,
        aside: `${durationWords(ms)} · ${countWords(spans.length, 'view')}`,
        spans: joined(spans, range),
      })),
    ),
    table: {
      columns: ['Viewer', 'Videos and broadcasts', 'Views', 'Hours watched', 'Last seen'],
      rows: top.map(({ name, videos, spans, ms, lastActivityMs }) => [
        ...[name, videos, spans.length, Math.round((ms / HOUR_MS) * 10) / 10, timeWords(lastActivityMs)],
      ]),
    },
    legend: LIVE_AND_RECORDED,
  }
}

/** Joins spans with small gaps. */
function joined(spans: readonly Span[], range: TimeRange): Span[] {
  const timeline = createTimeline(range)
  for (const span of spans) timeline.mark(span)
  return timeline.spans()
}
