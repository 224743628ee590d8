import type { SeriesRow } from '../../../video-service/report-rows.ts'
import type { Point, TimeRange } from '../chart/chart.ts'
import { seriesGroup } from '../rows.ts'
import { MOST_TABLE_ROWS, nothing, type PageCollector, type PageModel, type Section } from './page-model.ts'
import { countWords, dayWords, monthWords, nameWords, numberWords, readTime, shareWords, timeWords } from './words.ts'

export type SeriesReport = 'total-views' | 'unique-devices' | 'authenticated-viewers'
type Dimension = 'summary' | 'month' | 'day' | 'hour' | 'location' | 'device' | 'view-source'

const MOST_POINTS = 800
const SHOWN_BARS = 25
const TITLES: Readonly<Record<SeriesReport, readonly [title: string, one: string, several: string]>> = {
  'total-views': ['Total views', 'view', 'views'],
  'unique-devices': ['Devices', 'device', 'devices'],
  'authenticated-viewers': ['Signed-in viewers', 'signed-in viewer', 'signed-in viewers'],
}
const GROUPS: Readonly<Record<'location' | 'device' | 'view-source', readonly [title: string, column: string]>> = {
  location: ['Places', 'Place'],
  device: ['Devices', 'Device'],
  'view-source': ['Location of the player', 'Player'],
}
const VIEW_SOURCES = new Map([
  ['onsite', 'On the page of the service'],
  ['offsite', 'On other pages'],
])

/**
 * Collects one number for each point in time or each group. Keeps the top 25 groups. Keeps up to 800 points; with more,
 * each two neighbours become one point with the higher value, so that peaks stay visible. The highest value is exact.
 * @param range the period of the report.
 */
export function seriesPage(report: SeriesReport, dimension: Dimension, range: TimeRange): PageCollector<SeriesRow> {
  if (dimension === 'month' || dimension === 'day' || dimension === 'hour') return timesPage(report, dimension, range)
  return groupsPage(report, dimension)
}

function groupsPage(
  report: SeriesReport,
  dimension: 'summary' | 'location' | 'device' | 'view-source',
): PageCollector<SeriesRow> {
  const [title, one, several] = TITLES[report]
  let top: { name: string; value: number }[] = []
  let [total, count] = [0, 0]
  return {
    add(row) {
      count += 1
      total += row.value
      const group = seriesGroup(row)
      top.push({ name: dimension === 'view-source' ? (VIEW_SOURCES.get(group) ?? group) : group, value: row.value })
      top = top.toSorted((a, b) => b.value - a.value).slice(0, SHOWN_BARS)
    },
    model(): PageModel {
      if (dimension === 'summary') {
        const words = countWords(total, one, several)
        return {
          title,
          summary: `${words} in the whole period.`,
          figures: [{ value: numberWords(total), label: words.slice(numberWords(total).length + 1) }],
          sections: [],
          notes: [],
        }
      }
      const [first] = top
      if (first === undefined) return nothing(title)
      const isSum = report === 'total-views'
      const figures = [{ value: numberWords(count), label: GROUPS[dimension][0].toLowerCase() }]
      return {
        title,
        summary: `Top: ${nameWords(first.name)}, ${countWords(first.value, one, several)}.`,
        figures: isSum ? [{ value: numberWords(total), label: several }, ...figures] : figures,
        sections: [groupSection(dimension, several, top, count, isSum ? total : null)],
        notes: isSum ? [] : ['Do not add up these numbers: one viewer or device can count in several groups.'],
      }
    },
  }
}

function groupSection(
  dimension: 'location' | 'device' | 'view-source',
  several: string,
  top: readonly { name: string; value: number }[],
  count: number,
  total: number | null,
): Section {
  const [title, column] = GROUPS[dimension]
  const shareOf = (value: number) => (total === null ? '' : ` · ${shareWords(value, total)}`)
  return {
    title,
    words: count > top.length ? `Top ${top.length} of ${numberWords(count)}, by ${several}.` : `By ${several}.`,
    chart: {
      kind: 'bars',
      rows: top.map(({ name, value }) => ({
        name: nameWords(name),
        value,
        aside: `${numberWords(value)}${shareOf(value)}`,
      })),
    },
    table: { columns: [column, sentenceCase(several)], rows: top.map(({ name, value }) => [nameWords(name), value]) },
    legend: null,
    isHalf: false,
  }
}

function timesPage(
  report: SeriesReport,
  dimension: 'month' | 'day' | 'hour',
  range: TimeRange,
): PageCollector<SeriesRow> {
  const [title, one, several] = TITLES[report]
  let points: Point[] = []
  let [count, total, together] = [0, 0, 1]
  let highest: { timeMs: number; value: number } | null = null
  return {
    add({ point, value }) {
      const fromMs = readTime(point)
      const unmerged = { fromMs, toMs: nextOf(fromMs, dimension), values: [value] }
      const last = points.at(-1)
      if (together > 1 && last !== undefined && count % together !== 0)
        points[points.length - 1] = higher(last, unmerged)
      else points.push(unmerged)
      count += 1
      total += value
      if (highest === null || value > highest.value) highest = { timeMs: fromMs, value }
      if (points.length <= MOST_POINTS) return
      points = points.flatMap((two, index) => (index % 2 === 0 ? [higher(two, points[index + 1] ?? two)] : []))
      together *= 2
    },
    model(): PageModel {
      if (highest === null) return nothing(title)
      const when = periodWords(highest.timeMs, dimension)
      const sums = report === 'total-views' ? [{ value: numberWords(total), label: several }] : []
      const summary = `${report === 'total-views' ? `${countWords(total, one, several)}. ` : ''}Highest ${dimension}: ${numberWords(highest.value)}, ${when}.`
      const figures = [
        ...sums,
        { value: numberWords(highest.value), label: `in the highest ${dimension}: ${when}` },
        { value: numberWords(count), label: `${count === 1 ? dimension : `${dimension}s`} with ${several}` },
      ]
      const section = timesSection({ points, together, dimension, several, range })
      const notes =
        report === 'total-views'
          ? []
          : [`Do not add up these numbers: one viewer or device can count in several ${dimension}s.`]
      return { title, summary, figures, sections: [section], notes }
    },
  }
}

interface Times {
  readonly points: readonly Point[]
  readonly together: number
  readonly dimension: 'month' | 'day' | 'hour'
  readonly several: string
  readonly range: TimeRange
}

function timesSection({ points, together, dimension, several, range }: Times): Section {
  const unit = together === 1 ? `by ${dimension}` : `the highest value of each ${together} ${dimension}s`
  // The first month or day can start before the period.
  const fromMs = Math.min(range.fromMs, points[0]?.fromMs ?? range.fromMs)
  const toMs = Math.max(range.toMs, points.at(-1)?.toMs ?? range.toMs)
  return {
    title: 'Over time',
    words: `${sentenceCase(several)}, ${unit}.`,
    chart: { kind: 'columns', range: { fromMs, toMs }, points, unit: sentenceCase(several) },
    table:
      together > 1 || points.length > MOST_TABLE_ROWS
        ? null
        : {
            columns: [sentenceCase(dimension), sentenceCase(several)],
            rows: points.map(({ fromMs: at, values: [value = 0] }) => [periodWords(at, dimension), value]),
          },
    legend: null,
    isHalf: false,
  }
}

function higher(a: Point, b: Point): Point {
  return { fromMs: a.fromMs, toMs: b.toMs, values: [Math.max(a.values[0] ?? 0, b.values[0] ?? 0)] }
}

/** Uses the calendar of this machine, because the request has its UTC offset. */
function nextOf(timeMs: number, dimension: 'month' | 'day' | 'hour'): number {
  const time = new Date(timeMs)
  if (dimension === 'hour') return timeMs + 3_600_000
  if (dimension === 'day') return time.setDate(time.getDate() + 1)
  return time.setMonth(time.getMonth() + 1)
}

function periodWords(timeMs: number, dimension: 'month' | 'day' | 'hour'): string {
  if (dimension === 'hour') return timeWords(timeMs)
  return dimension === 'day' ? dayWords(timeMs) : monthWords(timeMs)
}

function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
