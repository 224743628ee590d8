import type { DatabaseSync } from 'node:sqlite'
import { regionOf } from '../segments/places.ts'
import { type InSteps, scanSegments } from '../segments/segment-scan.ts'
import { selectSegments } from '../segments/segment-selection.ts'
import { openPageWindow, type PageWindow } from './page-window.ts'
import type { GroupDimension, ReportQuestion, SeriesMetric } from './report-question.ts'
import { bucketAround, openTimeWriter } from './report-times.ts'

export interface SeriesQuestion extends ReportQuestion {
  readonly report: Extract<ReportQuestion['report'], { kind: 'series' }>
}

export interface SeriesItem {
  readonly dimension_type: string
  readonly point: string
  readonly value: number
}

/** The column whose distinct values are counted; null counts all rows. The value 0 is not counted. */
const COUNTED: Readonly<Record<SeriesMetric, string | null>> = {
  'total-views': null,
  'unique-devices': 'client',
  'authenticated-viewers': 'viewer',
}

/** Makes a series: by time, or by value (greatest first) for dimensions that are not times. */
export function* answerSeries(database: DatabaseSync, question: SeriesQuestion): InSteps<PageWindow<SeriesItem>> {
  const { dimension } = question.report
  const window = openPageWindow<SeriesItem>(question.page)
  switch (dimension) {
    case 'hour':
    case 'day':
    case 'month':
      yield* tallyBuckets(database, question, { unit: dimension, window })
      break
    case 'summary': {
      const [value = 0] = (yield* tallyGroups(database, question, { column: '0', nameOf: String })).values()
      window.add(1, () => ({ dimension_type: dimension, point: periodStart(question), value }))
      break
    }
    default:
      addGroups(window, question, yield* tallyGroups(database, question, GROUPS[dimension](database)))
  }
  return window
}

interface Grouping {
  /** A numeric SQL expression. */
  readonly column: string
  readonly nameOf: (number: number) => string
}

const GROUPS: Readonly<Record<GroupDimension, (database: DatabaseSync) => Grouping>> = {
  location: (database) => ({ column: 'place', nameOf: namesOf(database, 'country', 'segment_places') }),
  device: (database) => ({ column: 'device', nameOf: namesOf(database, 'family', 'segment_devices') }),
  country: (database) => ({ column: 'place', nameOf: namesOf(database, 'country', 'segment_places') }),
  region: (database) => ({ column: 'place', nameOf: regionNames(database) }),
  'view-source': () => ({ column: `view_type = 'onsite'`, nameOf: (onsite) => (onsite === 1 ? 'onsite' : 'offsite') }),
}

function periodStart({ selection, timeZone }: SeriesQuestion): string {
  return openTimeWriter(timeZone)(selection.fromSeconds ?? 0)
}

function addGroups(
  window: PageWindow<SeriesItem>,
  question: SeriesQuestion,
  tallies: ReadonlyMap<string, number>,
): void {
  const point = periodStart(question)
  const sorted = [...tallies]
    .filter(([, value]) => value > 0)
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
  for (const [name, value] of sorted) {
    window.add(1, () => ({ dimension_type: `${question.report.dimension}:${name}`, point, value }))
  }
}

function regionNames(database: DatabaseSync): (number: number) => string {
  const countries = namesOf(database, 'country', 'segment_places')
  const cities = namesOf(database, 'city', 'segment_places')
  return (number) => regionOf({ country: countries(number), city: cities(number) })
}

function namesOf(database: DatabaseSync, column: string, table: string): (number: number) => string {
  const rows = database.prepare(`SELECT id, ${column} AS name FROM ${table}`).all()
  const names = new Map(rows.map(({ id, name }) => [Number(id), String(name)]))
  return (number) => names.get(number) ?? ''
}

/** Several numbers may have the same name: the cities of a country, the versions of a device. */
function* tallyGroups(
  database: DatabaseSync,
  question: SeriesQuestion,
  { column, nameOf }: Grouping,
): InSteps<Map<string, number>> {
  const byNumber = new Map<number, Counter>()
  const byName = new Map<string, Counter>()
  const counterFor = (number: number) => {
    const name = nameOf(number)
    const counter = byName.get(name) ?? openCounter(question.report.metric)
    byName.set(name, counter)
    byNumber.set(number, counter)
    return counter
  }
  yield* scanSelected(database, question, column, (_startedAt, number, counted) => {
    const counter = byNumber.get(number) ?? counterFor(number)
    counter.add(counted)
  })
  return new Map([...byName].map(([name, counter]) => [name, counter.value()]))
}

/** A segment that started before the range counts in the first bucket. Empty buckets are left out. */
function* tallyBuckets(
  database: DatabaseSync,
  question: SeriesQuestion,
  { unit, window }: { unit: 'hour' | 'day' | 'month'; window: PageWindow<SeriesItem> },
): InSteps<void> {
  const { timeZone, report } = question
  const fromSeconds = question.selection.fromSeconds ?? 0
  const writeTime = openTimeWriter(timeZone)
  let bucket = { startSeconds: 0, endSeconds: Number.NEGATIVE_INFINITY }
  let counter = openCounter(report.metric)
  const closeBucket = () => {
    const value = counter.value()
    const { startSeconds } = bucket
    if (value > 0) window.add(1, () => ({ dimension_type: unit, point: writeTime(startSeconds), value }))
    counter = openCounter(report.metric)
  }
  yield* scanSelected(database, question, '0', (startedAt, _group, counted) => {
    const at = Math.max(startedAt, fromSeconds)
    if (at >= bucket.endSeconds) {
      closeBucket()
      bucket = bucketAround(at, unit, timeZone)
    }
    counter.add(counted)
  })
  closeBucket()
}

function scanSelected(
  database: DatabaseSync,
  { report, selection }: SeriesQuestion,
  group: string,
  onRow: (startedAt: number, group: number, counted: number) => void,
): InSteps<void> {
  const columns = [group, COUNTED[report.metric] ?? '1'] as const
  return scanSegments(database, { index: 'segments_by_start', selection: selectSegments(selection), columns }, onRow)
}

interface Counter {
  add(counted: number): void
  value(): number
}

function openCounter(metric: SeriesMetric): Counter {
  if (COUNTED[metric] === null) {
    let rows = 0
    return {
      add() {
        rows += 1
      },
      value: () => rows,
    }
  }
  const seen = new Set<number>()
  return {
    add(counted) {
      if (counted !== 0) seen.add(counted)
    },
    value: () => seen.size,
  }
}
