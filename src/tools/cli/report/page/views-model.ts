import type { PageModel, Section } from '../../html-page/page-model.ts'
import { barsChart, timelinesChart } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { countWords, nameWords, numberWords, shareWords, timeWords } from '../../output/words.ts'
import type { ContentTitles } from '../content-titles.ts'
import { durationWords } from '../words.ts'
import { highestOf, type PeriodPart, viewersAt } from './concurrency.ts'
import { LIVE_AND_RECORDED, nothing } from './page-collector.ts'
import type { Timeline } from './timeline.ts'
import type { Ranking, ViewList, ViewTable, ViewTotals } from './view-table.ts'

const SHOWN_BARS = 10
export const SHOWN_VIEWERS = 15
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Everything that the page of views shows. */
interface CollectedViews {
  readonly range: TimeRange
  readonly parts: readonly PeriodPart[]
  /** The busiest day. Empty if the chart of the period has minutes. */
  readonly minutes: readonly PeriodPart[]
  readonly bucketWords: string
  readonly views: ViewTable
  readonly viewers: Ranking
  readonly timelines: ReadonlyMap<string, Timeline>
  readonly titles: ContentTitles
}

/** Puts the collected views into words, tables and charts. */
export function viewsModel(collected: CollectedViews): PageModel {
  const { parts, views, viewers } = collected
  const title = 'Views'
  const totals = views.totals()
  if (totals.views === 0) return nothing(title)
  const viewersLabel = viewers.known === 1 ? 'signed-in viewer' : 'signed-in viewers'
  const viewersWords = `${numberWords(viewers.known)} ${viewersLabel}`
  const devicesWords = countWords(totals.devices, 'device')
  const named = totals.views - totals.unnamed
  const by =
    totals.unnamed === 0
      ? `by ${viewersWords}, on ${devicesWords}`
      : `on ${devicesWords}, ${numberWords(named)} of them by ${viewersWords}`
  const summary = `${countWords(totals.views, 'view')} ${by}: ${durationWords(totals.ms)} watched, ${shareWords(totals.liveMs, totals.ms)} of it live.`
  return {
    title,
    summary,
    figures: [
      { value: numberWords(totals.views), label: totals.views === 1 ? 'view' : 'views' },
      { value: durationWords(totals.ms), label: 'watched' },
      { value: numberWords(viewersAt(highestOf(parts))), label: 'viewers at once, at the peak' },
      { value: numberWords(viewers.known), label: viewersLabel },
      { value: numberWords(totals.devices), label: totals.devices === 1 ? 'device' : 'devices' },
    ],
    sections: sectionsOf(collected, totals),
    notes: [
      'A view is one watched part of a broadcast or video. Play, pause and seek start a new view. Only time inside the period counts.',
      'Viewers at once are players that play at the same time. A viewer with two devices can count twice.',
      ...(totals.unnamed > 0
        ? [`${countWords(totals.unnamed, 'view')} without a sign-in. The numbers of signed-in viewers leave them out.`]
        : []),
      ...(totals.running > 0
        ? [`${countWords(totals.running, 'view')} still running when this page was created, and counted until then.`]
        : []),
    ],
  }
}

function sectionsOf(collected: CollectedViews, { views, ms, mobile }: ViewTotals): Section[] {
  const { range, parts, minutes, bucketWords, titles } = collected
  const ranking = (list: ViewList) => collected.views.ranking(list, 'views', SHOWN_BARS)
  const content = collected.views.ranking('content', 'ms', SHOWN_BARS)
  const titled = content.top.map((one) => ({ ...one, name: titles.get(one.name) ?? one.name }))
  const countries = ranking('country')
  const places = countries.known === 1 ? ranking('city') : countries
  const devicesBy = `by views; ${shareWords(mobile, views)} on phones and tablets`
  return [
    overTime(range, parts, bucketWords),
    ...busiestDay(minutes),
    bars('Content', 'by time watched', { ...content, top: titled }, ms, 'ms'),
    bars('Places', 'by views', places, views, 'views'),
    bars('Devices', devicesBy, ranking('system'), views, 'views'),
    bars('Browsers', 'by views', ranking('browser'), views, 'views'),
    ...timelines(collected),
  ]
}

/** The peak is drawn, because an average over hours hides how many watched at once. */
function overTime(range: TimeRange, parts: readonly PeriodPart[], bucketWords: string): Section {
  const highest = highestOf(parts)
  return {
    title: 'Viewers over time',
    words: `Peak: ${countWords(viewersAt(highest), 'viewer')} at once, on ${timeWords(highest.timeMs)}. Areas show the peak of each ${bucketWords}, the line its average.`,
    chart: {
      kind: 'times',
      range,
      timesTitle: 'From',
      columns: [
        { title: 'Live at the peak', draw: 'area' },
        { title: 'Recorded at the peak', draw: 'area' },
        { title: 'Average', draw: 'line' },
        { title: 'Peak', draw: null },
      ],
      rows: parts.map(({ fromMs, toMs, peak, average }) => ({
        fromMs,
        toMs,
        words: timeWords(fromMs),
        values: [peak.live, peak.recorded, rounded(average), viewersAt(peak)],
      })),
    },
  }
}

/** Arrivals and departures show if viewers came and left together: the login app and the network felt that. */
function busiestDay(minutes: readonly PeriodPart[]): Section[] {
  const first = minutes[0]
  const last = minutes.at(-1)
  if (first === undefined || last === undefined) return []
  const most = minutes.reduce((busiest, minute) => (minute.arrivals > busiest.arrivals ? minute : busiest))
  return [
    {
      title: 'The busiest day',
      words: `By minute. ${countWords(most.arrivals, 'view')} started in the minute from ${timeWords(most.fromMs)}.`,
      chart: {
        kind: 'times',
        timesTitle: 'From',
        range: { fromMs: first.fromMs, toMs: last.fromMs + MINUTE_MS },
        columns: [
          { title: 'At once', draw: 'area' },
          { title: 'Arrivals', draw: 'line' },
          { title: 'Departures', draw: 'line' },
        ],
        rows: minutes.map(({ fromMs, peak, arrivals, departures }) => ({
          fromMs,
          toMs: fromMs + MINUTE_MS,
          words: timeWords(fromMs),
          values: [viewersAt(peak), arrivals, departures],
        })),
      },
    },
  ]
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

function bars(title: string, by: string, { top, known }: Ranking, whole: number, measure: 'ms' | 'views'): Section {
  const rows = top.map(({ name, views, ms }) => {
    const amount = measure === 'ms' ? durationWords(ms) : numberWords(views)
    const value = measure === 'ms' ? ms : views
    return { name: nameWords(name), value, aside: `${amount} · ${shareWords(value, whole)}` }
  })
  return {
    title,
    words: known > top.length ? `Top ${top.length} of ${numberWords(known)}, ${by}.` : `All ${by}.`,
    chart: barsChart(rows, whole),
    table: { columns: [title, 'Views', 'Hours watched'], rows: cellsOf(top) },
    isHalf: true,
  }
}

function timelines({ range, viewers: { top, known }, timelines }: CollectedViews): Section[] {
  if (top.length === 0) return []
  return [
    {
      title: 'Top viewers',
      words: `When ${top.length < known ? `each of the top ${top.length}` : 'each viewer'} watched.`,
      chart: timelinesChart(
        range,
        top.map(({ name, ms, views }) => ({
          name: nameWords(name),
          aside: `${durationWords(ms)} · ${countWords(views, 'view')}`,
          spans: timelines.get(name)?.spans() ?? [],
        })),
      ),
      table: { columns: ['Viewer', 'Views', 'Hours watched'], rows: cellsOf(top) },
      legend: LIVE_AND_RECORDED,
    },
  ]
}

function cellsOf(top: Ranking['top']): (string | number)[][] {
  return top.map(({ name, views, ms }) => [nameWords(name), views, rounded(ms / HOUR_MS)])
}
