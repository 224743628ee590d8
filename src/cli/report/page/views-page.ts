import type { ViewRow } from '../../../video-service/report-rows.ts'
import type { Point, Span, TimeRange } from '../chart/chart.ts'
import { spread, timeBuckets } from '../chart/time-buckets.ts'
import { createRanking, type Ranking } from './bounded-ranking.ts'
import { createDifferentCount } from './different-count.ts'
import { MOST_TABLE_ROWS, nothing, type PageCollector, type PageModel, type Section } from './page-model.ts'
import {
  contentName,
  countWords,
  durationWords,
  nameWords,
  numberWords,
  readTime,
  shareWords,
  timeWords,
} from './words.ts'

const MOST_NAMES = 40_000
const SHOWN_BARS = 10
const SHOWN_VIEWERS = 15
/** A column of the timelines each: finer is not seen. */
const BINS = 720
const HOUR_MS = 3_600_000

interface Watched {
  views: number
  ms: number
}
interface Watcher extends Watched {
  /** In which parts of the period something was watched, see markBins. */
  readonly bins: Uint8Array
}

/**
 * Who watched what and when, of all views. Sums, times, and the numbers over time are exact; places, devices, content and
 * viewers are as long as there are at most 40,000 of each, see createRanking; different devices and viewers as
 * createDifferentCount has it. Everything counts as far as it lies in the period; who is watching counts until now.
 * @param range the period that was asked for.
 */
export function viewsPage(range: TimeRange, nowMs: number): PageCollector<ViewRow> {
  const buckets = timeBuckets(range)
  const [live, recorded] = [new Float64Array(buckets.bordersMs.length), new Float64Array(buckets.bordersMs.length)]
  const totals = { views: 0, ms: 0, liveMs: 0, mobile: 0, unfinished: 0, unnamed: 0 }
  const [devices, viewers] = [createDifferentCount(), createDifferentCount()]
  const rankings = createRankings()
  return {
    add(row) {
      const span = spanOf(row, range, nowMs)
      const ms = Math.max(0, span.toMs - span.fromMs)
      totals.views += 1
      totals.ms += ms
      totals.liveMs += span.isLive ? ms : 0
      totals.mobile += row.is_mobile_view ? 1 : 0
      totals.unfinished += row.finished_at ? 0 : 1
      devices.add(row.client_id)
      if (row.viewer_identifier) viewers.add(row.viewer_identifier)
      else totals.unnamed += 1
      const sums = span.isLive ? live : recorded
      spread(buckets.bordersMs, span, (bucket, part) => {
        sums[bucket] = (sums[bucket] ?? 0) + part
      })
      addToRankings(rankings, row, span, ms, range)
    },
    model() {
      const points = pointsOf(buckets.bordersMs, live, recorded)
      return viewsModel({ range, points, bucketWords: buckets.lengthWords, totals, devices, viewers, rankings })
    },
  }
}

interface Rankings {
  readonly content: Ranking<Watched>
  readonly countries: Ranking<Watched>
  readonly cities: Ranking<Watched>
  readonly systems: Ranking<Watched>
  readonly browsers: Ranking<Watched>
  readonly viewers: Ranking<Watcher>
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
      create: () => ({ views: 0, ms: 0, bins: new Uint8Array(BINS / 4) }),
      weightOf: ({ ms }) => ms,
    }),
  }
}

function addToRankings(to: Rankings, row: ViewRow, span: Span, ms: number, range: TimeRange): void {
  const { browser, os } = row.device_info
  const country = row.country || 'Unknown'
  const entries: Watched[] = [
    to.content.entryOf(contentName(row.content_type, row.content_id)),
    to.countries.entryOf(country),
    to.cities.entryOf([row.city, country].filter(Boolean).join(', ')),
    to.systems.entryOf(os.family),
    to.browsers.entryOf(browser.family),
  ]
  if (row.viewer_identifier) {
    const watcher = to.viewers.entryOf(row.viewer_identifier)
    entries.push(watcher)
    markBins(watcher.bins, span, range)
  }
  for (const entry of entries) {
    entry.views += 1
    entry.ms += ms
  }
}

function spanOf(row: ViewRow, range: TimeRange, nowMs: number): Span {
  const fromMs = Math.max(range.fromMs, readTime(row.started_at))
  const toMs = Math.min(range.toMs, row.finished_at ? readTime(row.finished_at) : nowMs)
  return { fromMs, toMs: Math.max(fromMs, toMs), isLive: row.content_type === 'live' }
}

/** Two bits a bin, since there is one for each of 40,000 viewers: live, recorded. */
function markBins(bins: Uint8Array, span: Span, { fromMs, toMs }: TimeRange): void {
  const binOf = (timeMs: number) => Math.min(BINS - 1, Math.floor(((timeMs - fromMs) / (toMs - fromMs)) * BINS))
  const flag = span.isLive ? 1 : 2
  for (let bin = binOf(span.fromMs); bin <= binOf(Math.max(span.fromMs, span.toMs - 1)); bin += 1) {
    bins[bin >> 2] = (bins[bin >> 2] ?? 0) | (flag << ((bin & 3) * 2))
  }
}

function spansOf(bins: Uint8Array, { fromMs, toMs }: TimeRange): Span[] {
  const timeOf = (bin: number) => fromMs + ((toMs - fromMs) * bin) / BINS
  return [1, 2].flatMap((flag) => {
    const spans: Span[] = []
    for (let bin = 0, begin = -1; bin <= BINS; bin += 1) {
      const isWatched = (((bins[bin >> 2] ?? 0) >> ((bin & 3) * 2)) & flag) !== 0
      if (isWatched && begin < 0) begin = bin
      if (!isWatched && begin >= 0) {
        spans.push({ fromMs: timeOf(begin), toMs: timeOf(bin), isLive: flag === 1 })
        begin = -1
      }
    }
    return spans
  })
}

/** How many watched at once, on the average over each bucket. */
function pointsOf(bordersMs: readonly number[], live: Float64Array, recorded: Float64Array): Point[] {
  return bordersMs.slice(0, -1).map((fromMs, bucket) => {
    const toMs = bordersMs[bucket + 1] ?? fromMs
    const [liveMs = 0, recordedMs = 0] = [live[bucket], recorded[bucket]]
    return { fromMs, toMs, values: [liveMs / (toMs - fromMs), recordedMs / (toMs - fromMs)] }
  })
}

interface Collected {
  readonly range: TimeRange
  readonly points: readonly Point[]
  readonly bucketWords: string
  readonly totals: { views: number; ms: number; liveMs: number; mobile: number; unfinished: number; unnamed: number }
  readonly devices: ReturnType<typeof createDifferentCount>
  readonly viewers: ReturnType<typeof createDifferentCount>
  readonly rankings: Rankings
}

function viewsModel(collected: Collected): PageModel {
  const { totals, devices, viewers, rankings } = collected
  const title = 'Views'
  if (totals.views === 0) return nothing(title)
  const about = (count: DifferentResult) => `${count.isExact ? '' : 'about '}${numberWords(count.count)}`
  const [ofDevices, ofViewers] = [devices.result(), viewers.result()]
  const summary = `${countWords(totals.views, 'view')} by ${about(ofViewers)} signed-in ${ofViewers.count === 1 ? 'viewer' : 'viewers'}, on ${about(ofDevices)} ${ofDevices.count === 1 ? 'device' : 'devices'}: ${durationWords(totals.ms)} watched, ${shareWords(totals.liveMs, totals.ms)} of it live.`
  const missing = [rankings.viewers, rankings.content, rankings.cities, rankings.systems, rankings.browsers].some(
    (of) => of.mostMissing() > 0,
  )
  return {
    title,
    summary,
    figures: [
      { value: numberWords(totals.views), label: 'views' },
      { value: durationWords(totals.ms), label: 'watched' },
      { value: about(ofViewers), label: 'signed-in viewers' },
      { value: about(ofDevices), label: 'devices' },
      { value: shareWords(totals.mobile, totals.views), label: 'of views on phones and tablets' },
    ],
    sections: sectionsOf(collected),
    notes: [
      'A view is one part of a broadcast or video that somebody watched: play, pause and jump begin a new one. Only what lies inside the period is counted as watched.',
      ...(totals.unnamed > 0
        ? [
            `${countWords(totals.unnamed, 'view')} came without a sign-in; they are in all numbers but those of signed-in viewers.`,
          ]
        : []),
      ...(totals.unfinished > 0
        ? [`${countWords(totals.unfinished, 'view')} had not ended when this page was made; they count until then.`]
        : []),
      ...(missing
        ? [
            `There are more than ${numberWords(MOST_NAMES)} different names in a list; numbers in the lists of viewers, content, places, devices and browsers may be a little too small.`,
          ]
        : []),
    ],
  }
}

type DifferentResult = ReturnType<ReturnType<typeof createDifferentCount>['result']>

function sectionsOf({ range, points, bucketWords, rankings, totals }: Collected): Section[] {
  const countries = rankings.countries.top(2)
  const places = countries.length === 1 ? rankings.cities : rankings.countries
  return [
    overTime(range, points, bucketWords),
    bars('Content', 'by time watched', rankings.content.top(SHOWN_BARS), rankings.content.size(), totals.ms, 'ms'),
    bars('Places', 'by views', places.top(SHOWN_BARS), places.size(), totals.views, 'views'),
    bars('Devices', 'by views', rankings.systems.top(SHOWN_BARS), rankings.systems.size(), totals.views, 'views'),
    bars('Browsers', 'by views', rankings.browsers.top(SHOWN_BARS), rankings.browsers.size(), totals.views, 'views'),
    ...timelines(range, rankings.viewers),
  ]
}

function overTime(range: TimeRange, points: readonly Point[], bucketWords: string): Section {
  const totalOf = ({ values }: Point) => values.reduce((sum, value) => sum + value, 0)
  const most = points.reduce<Point | undefined>(
    (a, b) => (a !== undefined && totalOf(a) >= totalOf(b) ? a : b),
    undefined,
  )
  const peak =
    most === undefined ? '' : ` Busiest: ${timeWords(most.fromMs)}, ${numberWords(totalOf(most))} on average.`
  const filled = points.filter((point) => totalOf(point) > 0)
  return {
    title: 'Viewers over time',
    words: `How many watched at the same time, averaged over each ${bucketWords}.${peak}`,
    chart: { kind: 'columns', range, points, unit: 'Watching at once' },
    table:
      filled.length > MOST_TABLE_ROWS
        ? null
        : {
            columns: ['From', 'Live', 'Recorded'],
            rows: filled.map(({ fromMs, values: [live = 0, recorded = 0] }) => [
              timeWords(fromMs),
              rounded(live),
              rounded(recorded),
            ]),
          },
    hasLegend: true,
    isHalf: false,
  }
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

function bars(
  title: string,
  by: string,
  top: readonly (readonly [string, Watched])[],
  known: number,
  whole: number,
  measure: 'ms' | 'views',
): Section {
  const rows = top.map(([name, entry]) => {
    const amount = measure === 'ms' ? durationWords(entry.ms) : numberWords(entry.views)
    return { name: nameWords(name), value: entry[measure], aside: `${amount} · ${shareWords(entry[measure], whole)}` }
  })
  return {
    title,
    words: known > top.length ? `The first ${top.length} of ${numberWords(known)}, ${by}.` : `All ${by}.`,
    chart: { kind: 'bars', rows },
    table: {
      columns: [title, 'Views', 'Hours watched'],
      rows: top.map(([name, { views, ms }]) => [nameWords(name), views, rounded(ms / HOUR_MS)]),
    },
    hasLegend: false,
    isHalf: true,
  }
}

function timelines(range: TimeRange, viewers: Ranking<Watcher>): Section[] {
  const top = viewers.top(SHOWN_VIEWERS)
  if (top.length === 0) return []
  return [
    {
      title: 'Viewers who watched most',
      words: `When each of ${top.length < viewers.size() ? `the first ${top.length}` : 'them'} watched.`,
      chart: {
        kind: 'timelines',
        range,
        rows: top.map(([name, { ms, views, bins }]) => ({
          name: nameWords(name),
          aside: `${durationWords(ms)} · ${countWords(views, 'view')}`,
          spans: spansOf(bins, range),
        })),
      },
      table: {
        columns: ['Viewer', 'Views', 'Hours watched'],
        rows: top.map(([name, { views, ms }]) => [nameWords(name), views, rounded(ms / HOUR_MS)]),
      },
      hasLegend: true,
      isHalf: false,
    },
  ]
}
