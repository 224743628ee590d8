import type { PageModel, Section } from '../../html-page/page-model.ts'
import { barsChart, timelinesChart } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { countWords, nameWords, numberWords, shareWords, timeWords } from '../../output/words.ts'
import type { ContentTitles } from '../content-titles.ts'
import { durationWords } from '../words.ts'
import type { Ranking } from './bounded-ranking.ts'
import type { Minute, Moment } from './concurrency.ts'
import type { DifferentCount } from './different-count.ts'
import { LIVE_AND_RECORDED, nothing } from './page-collector.ts'
import { spansOf, type TimelineBins } from './timeline-bins.ts'

/** Each ranking holds this many names. */
export const MOST_NAMES = 40_000
const SHOWN_BARS = 10
const SHOWN_VIEWERS = 15
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

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

/** A part of the period, drawn as one column. */
export interface PeriodPart extends TimeRange {
  readonly peak: Moment
  /** Average number of concurrent views. */
  readonly average: number
}

/** Everything that the page of views shows. */
interface CollectedViews {
  readonly range: TimeRange
  readonly parts: readonly PeriodPart[]
  /** The busiest day. Empty if the chart of the period has minutes. */
  readonly minutes: readonly Minute[]
  readonly bucketWords: string
  readonly totals: { views: number; ms: number; liveMs: number; mobile: number; unfinished: number; unnamed: number }
  readonly devices: DifferentCount
  readonly viewers: DifferentCount
  readonly rankings: Rankings
  readonly titles: ContentTitles
}

/** Puts the collected views into words, tables and charts. */
export function viewsModel(collected: CollectedViews): PageModel {
  const { parts, totals, devices, viewers, rankings } = collected
  const title = 'Views'
  if (totals.views === 0) return nothing(title)
  const about = (count: DifferentResult) => `${count.isExact ? '' : 'about '}${numberWords(count.count)}`
  const [ofDevices, ofViewers] = [devices.result(), viewers.result()]
  const viewersWords = `${about(ofViewers)} signed-in ${ofViewers.count === 1 ? 'viewer' : 'viewers'}`
  const devicesWords = `${about(ofDevices)} ${ofDevices.count === 1 ? 'device' : 'devices'}`
  const named = totals.views - totals.unnamed
  const by =
    totals.unnamed === 0
      ? `by ${viewersWords}, on ${devicesWords}`
      : `on ${devicesWords}, ${numberWords(named)} of them by ${viewersWords}`
  const summary = `${countWords(totals.views, 'view')} ${by}: ${durationWords(totals.ms)} watched, ${shareWords(totals.liveMs, totals.ms)} of it live.`
  const isApproximate = [rankings.viewers, rankings.content, rankings.cities, rankings.systems, rankings.browsers].some(
    (of) => of.largestError() > 0,
  )
  return {
    title,
    summary,
    figures: [
      { value: numberWords(totals.views), label: totals.views === 1 ? 'view' : 'views' },
      { value: durationWords(totals.ms), label: 'watched' },
      { value: numberWords(viewersAt(highestOf(parts))), label: 'viewers at once, at the peak' },
      { value: about(ofViewers), label: ofViewers.count === 1 ? 'signed-in viewer' : 'signed-in viewers' },
      { value: about(ofDevices), label: ofDevices.count === 1 ? 'device' : 'devices' },
    ],
    sections: sectionsOf(collected),
    notes: [
      'A view is one watched part of a broadcast or video. Play, pause and seek start a new view. Only time inside the period counts.',
      'Viewers at once are players that play at the same time. A viewer with two devices can count twice.',
      ...(totals.unnamed > 0
        ? [`${countWords(totals.unnamed, 'view')} without a sign-in. The numbers of signed-in viewers leave them out.`]
        : []),
      ...(totals.unfinished > 0
        ? [`${countWords(totals.unfinished, 'view')} still running when this page was created, and counted until then.`]
        : []),
      ...(isApproximate
        ? [
            `A list has more than ${numberWords(MOST_NAMES)} different names. The numbers of viewers, channels, videos, places, devices and browsers may be slightly too low.`,
          ]
        : []),
    ],
  }
}

type DifferentResult = ReturnType<DifferentCount['result']>

function sectionsOf({ range, parts, minutes, bucketWords, rankings, totals, titles }: CollectedViews): Section[] {
  const countries = rankings.countries.top(2)
  const places = countries.length === 1 ? rankings.cities : rankings.countries
  const content = rankings.content.top(SHOWN_BARS).map(([name, entry]) => [titles.get(name) ?? name, entry] as const)
  const devicesBy = `by views; ${shareWords(totals.mobile, totals.views)} on phones and tablets`
  return [
    overTime(range, parts, bucketWords),
    ...busiestDay(minutes),
    bars('Content', 'by time watched', content, rankings.content.size(), totals.ms, 'ms'),
    bars('Places', 'by views', places.top(SHOWN_BARS), places.size(), totals.views, 'views'),
    bars('Devices', devicesBy, rankings.systems.top(SHOWN_BARS), rankings.systems.size(), totals.views, 'views'),
    bars('Browsers', 'by views', rankings.browsers.top(SHOWN_BARS), rankings.browsers.size(), totals.views, 'views'),
    ...timelines(range, rankings.viewers),
  ]
}

/** The peak is drawn, because an average over hours hides how many watched at once. */
function overTime(range: TimeRange, parts: readonly PeriodPart[], bucketWords: string): Section {
  const highest = highestOf(parts)
  return {
    title: 'Viewers over time',
    words: `Peak: ${countWords(viewersAt(highest), 'viewer')} at once, on ${timeWords(highest.timeMs)}. Areas show the peak of each ${bucketWords}, the line its average.`,
    chart: {
      ...{ kind: 'times', range, timesTitle: 'From' },
      columns: [
        { title: 'Live at the peak', draw: 'area' },
        { title: 'Recorded at the peak', draw: 'area' },
        { title: 'Average', draw: 'line' },
        { title: 'Peak', draw: null },
      ],
      rows: parts.map(({ fromMs, toMs, peak, average }) => ({
        ...{ fromMs, toMs, words: timeWords(fromMs) },
        values: [peak.live, peak.recorded, rounded(average), viewersAt(peak)],
      })),
    },
  }
}

/** Arrivals and departures show if viewers came and left together: the login app and the network felt that. */
function busiestDay(minutes: readonly Minute[]): Section[] {
  const [first, last] = [minutes[0], minutes.at(-1)]
  if (first === undefined || last === undefined) return []
  const most = minutes.reduce((busiest, minute) => (minute.arrivals > busiest.arrivals ? minute : busiest))
  return [
    {
      title: 'The busiest day',
      words: `By minute. ${countWords(most.arrivals, 'view')} started in the minute from ${timeWords(most.fromMs)}.`,
      chart: {
        ...{ kind: 'times', timesTitle: 'From' },
        range: { fromMs: first.fromMs, toMs: last.fromMs + MINUTE_MS },
        columns: [
          { title: 'At once', draw: 'area' },
          { title: 'Arrivals', draw: 'line' },
          { title: 'Departures', draw: 'line' },
        ],
        rows: minutes.map(({ fromMs, arrivals, atOnce, departures }) => ({
          ...{ fromMs, toMs: fromMs + MINUTE_MS, words: timeWords(fromMs) },
          values: [atOnce, arrivals, departures],
        })),
      },
    },
  ]
}

/** Returns the moment at which most views ran at once. */
export function highestOf(parts: readonly PeriodPart[]): Moment {
  const none: Moment = { timeMs: parts[0]?.fromMs ?? 0, live: 0, recorded: 0 }
  return parts.reduce((most, { peak }) => (viewersAt(peak) > viewersAt(most) ? peak : most), none)
}

function viewersAt({ live, recorded }: Moment): number {
  return live + recorded
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
    chart: barsChart(rows, whole),
    table: {
      columns: [title, 'Views', 'Hours watched'],
      rows: top.map(([name, { views, ms }]) => [nameWords(name), views, rounded(ms / HOUR_MS)]),
    },
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
      chart: timelinesChart(
        range,
        top.map(([name, { ms, views, bins }]) => ({
          name: nameWords(name),
          aside: `${durationWords(ms)} · ${countWords(views, 'view')}`,
          spans: spansOf(bins, range),
        })),
      ),
      table: {
        columns: ['Viewer', 'Views', 'Hours watched'],
        rows: top.map(([name, { views, ms }]) => [nameWords(name), views, rounded(ms / HOUR_MS)]),
      },
      legend: LIVE_AND_RECORDED,
    },
  ]
}
