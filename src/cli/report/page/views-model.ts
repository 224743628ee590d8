import type { Point, TimeRange } from '../chart/chart.ts'
import type { Ranking } from './bounded-ranking.ts'
import type { DifferentCount } from './different-count.ts'
import { LIVE_AND_RECORDED, MOST_TABLE_ROWS, nothing, type PageModel, type Section } from './page-model.ts'
import { spansOf, type TimelineBins } from './timeline-bins.ts'
import { countWords, durationWords, nameWords, numberWords, shareWords, timeWords } from './words.ts'

/** Each ranking holds this many names. */
export const MOST_NAMES = 40_000
const SHOWN_BARS = 10
const SHOWN_VIEWERS = 15
const HOUR_MS = 3_600_000

export interface Watched {
  views: number
  ms: number
}
export interface Watcher extends Watched {
  readonly bins: TimelineBins
}

export interface Rankings {
  readonly content: Ranking<Watched>
  readonly countries: Ranking<Watched>
  readonly cities: Ranking<Watched>
  readonly systems: Ranking<Watched>
  readonly browsers: Ranking<Watched>
  readonly viewers: Ranking<Watcher>
}

/** Everything that the page of views shows. */
interface CollectedViews {
  readonly range: TimeRange
  readonly points: readonly Point[]
  readonly bucketWords: string
  readonly totals: { views: number; ms: number; liveMs: number; mobile: number; unfinished: number; unnamed: number }
  readonly devices: DifferentCount
  readonly viewers: DifferentCount
  readonly rankings: Rankings
}

/** Puts the collected views into words, tables and charts. */
export function viewsModel(collected: CollectedViews): PageModel {
  const { totals, devices, viewers, rankings } = collected
  const title = 'Views'
  if (totals.views === 0) return nothing(title)
  const about = (count: DifferentResult) => `${count.isExact ? '' : 'about '}${numberWords(count.count)}`
  const [ofDevices, ofViewers] = [devices.result(), viewers.result()]
  const summary = `${countWords(totals.views, 'view')} by ${about(ofViewers)} signed-in ${ofViewers.count === 1 ? 'viewer' : 'viewers'}, on ${about(ofDevices)} ${ofDevices.count === 1 ? 'device' : 'devices'}: ${durationWords(totals.ms)} watched, ${shareWords(totals.liveMs, totals.ms)} of it live.`
  const isApproximate = [rankings.viewers, rankings.content, rankings.cities, rankings.systems, rankings.browsers].some(
    (of) => of.largestError() > 0,
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
      'A view is one watched part of a broadcast or video. Play, pause and seek start a new view. Only time inside the period counts.',
      ...(totals.unnamed > 0
        ? [`${countWords(totals.unnamed, 'view')} without a sign-in. The numbers of signed-in viewers leave them out.`]
        : []),
      ...(totals.unfinished > 0
        ? [`${countWords(totals.unfinished, 'view')} still running when this page was created, and counted until then.`]
        : []),
      ...(isApproximate
        ? [
            `A list has more than ${numberWords(MOST_NAMES)} different names. The numbers of viewers, content, places, devices and browsers may be slightly too low.`,
          ]
        : []),
    ],
  }
}

type DifferentResult = ReturnType<DifferentCount['result']>

function sectionsOf({ range, points, bucketWords, rankings, totals }: CollectedViews): Section[] {
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
    words: `Concurrent viewers, averaged over each ${bucketWords}.${peak}`,
    chart: { kind: 'columns', range, points, unit: 'Concurrent viewers' },
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
    legend: LIVE_AND_RECORDED,
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
    words: known > top.length ? `Top ${top.length} of ${numberWords(known)}, ${by}.` : `All ${by}.`,
    chart: { kind: 'bars', rows },
    table: {
      columns: [title, 'Views', 'Hours watched'],
      rows: top.map(([name, { views, ms }]) => [nameWords(name), views, rounded(ms / HOUR_MS)]),
    },
    legend: null,
    isHalf: true,
  }
}

function timelines(range: TimeRange, viewers: Ranking<Watcher>): Section[] {
  const top = viewers.top(SHOWN_VIEWERS)
  if (top.length === 0) return []
  return [
    {
      title: 'Top viewers',
      words: `When ${top.length < viewers.size() ? `each of the top ${top.length}` : 'each viewer'} watched.`,
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
      legend: LIVE_AND_RECORDED,
      isHalf: false,
    },
  ]
}
