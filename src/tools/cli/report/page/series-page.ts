import type { Dimension } from '../../../video-service/analytics/report-question.ts'
import type { SeriesRow } from '../../../video-service/analytics/report-rows.ts'
import type { Figure, PageModel, Section } from '../../html-page/page-model.ts'
import { barsChart } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { countWords, nameWords, numberWords, shareWords } from '../../output/words.ts'
import type { TimeUnit } from '../calendar.ts'
import type { LocalSeriesRow } from '../local-rows.ts'
import { seriesGroup } from '../rows.ts'
import type { SeriesTotals } from '../series-totals.ts'
import { nothing, type PageCollector } from './page-collector.ts'
import { timesPage } from './times-page.ts'

type SeriesReport = 'total-views' | 'unique-devices' | 'authenticated-viewers'
type GroupDimension = Exclude<Dimension, TimeUnit>

const REPORTS: readonly SeriesReport[] = ['total-views', 'unique-devices', 'authenticated-viewers']
const SHOWN_BARS = 25
const TITLES: Readonly<Record<SeriesReport, readonly [title: string, one: string, several: string]>> = {
  'total-views': ['Total views', 'view', 'views'],
  'unique-devices': ['Devices', 'device', 'devices'],
  'authenticated-viewers': ['Signed-in viewers', 'signed-in viewer', 'signed-in viewers'],
}
const GROUPS: Readonly<Record<GroupDimension, string>> = {
  location: 'Places',
  device: 'Devices',
  'view-source': 'Location of the player',
}
const VIEW_SOURCES = new Map([
  ['onsite', 'On the page of the service'],
  ['offsite', 'On other pages'],
])

/** The options of a page that depend on the question. */
interface SeriesOptions {
  readonly report: SeriesReport
  readonly dimension: Dimension | 'summary'
  /** The period of the report. */
  readonly range: TimeRange
  readonly zone: string
  /** Null for the pages by group. */
  readonly totals: SeriesTotals | null
}

/** Collects one number for each month, day, hour or group. Keeps the top 25 groups. */
export function seriesPage({ report, dimension, range, zone, totals }: SeriesOptions): PageCollector<LocalSeriesRow> {
  const [title, one, several] = TITLES[report]
  switch (dimension) {
    case 'month':
    case 'day':
    case 'hour':
      return timesPage(dimension, range, zone, {
        title,
        several,
        isSum: report === 'total-views',
        totals: totalFigures(totals),
        summary: totals === null ? '' : `${countWords(totals[report], one, several)} in the whole period.`,
      })
    case 'summary':
      return totalsPage(report, totals)
    default:
      return groupsPage(report, dimension)
  }
}

function totalFigures(totals: SeriesTotals | null): Figure[] {
  if (totals === null) return []
  return REPORTS.map((report) => {
    const [, one, several] = TITLES[report]
    return { value: numberWords(totals[report]), label: totals[report] === 1 ? one : several }
  })
}

function totalsPage(report: SeriesReport, totals: SeriesOptions['totals']): PageCollector<SeriesRow> {
  const [title, one, several] = TITLES[report]
  let total = 0
  return {
    add({ value }) {
      total += value
    },
    model: () => ({
      title,
      summary: `${countWords(total, one, several)} in the whole period.`,
      figures: totalFigures(totals),
      sections: [],
      notes: [],
    }),
  }
}

function groupsPage(report: SeriesReport, dimension: GroupDimension): PageCollector<SeriesRow> {
  const [title, one, several] = TITLES[report]
  let top: { name: string; value: number }[] = []
  let total = 0
  let count = 0
  return {
    add(row) {
      count += 1
      total += row.value
      const group = seriesGroup(row)
      top.push({ name: dimension === 'view-source' ? (VIEW_SOURCES.get(group) ?? group) : group, value: row.value })
      top = top.toSorted((a, b) => b.value - a.value).slice(0, SHOWN_BARS)
    },
    model(): PageModel {
      const [first] = top
      if (first === undefined) return nothing(title)
      const isSum = report === 'total-views'
      const figures = [{ value: numberWords(count), label: GROUPS[dimension].toLowerCase() }]
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
  dimension: GroupDimension,
  several: string,
  top: readonly { name: string; value: number }[],
  count: number,
  total: number | null,
): Section {
  return {
    title: GROUPS[dimension],
    words: count > top.length ? `Top ${top.length} of ${numberWords(count)}, by ${several}.` : `By ${several}.`,
    chart: barsChart(
      top.map(({ name, value }) => ({
        name: nameWords(name),
        value,
        aside: `${numberWords(value)}${total === null ? '' : ` · ${shareWords(value, total)}`}`,
      })),
      total,
    ),
  }
}
