import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { selectSegments } from '../segments/segment-selection.ts'
import type { Answer, GroupDimension, QuestionOf, SeriesMetric } from './report-question.ts'
import { bucketAround, openTimeWriter } from './report-times.ts'

const COUNTED: Readonly<Record<SeriesMetric, string>> = {
  'total-views': 'count(*)',
  'unique-devices': 'count(DISTINCT client_id)',
  'authenticated-viewers': 'count(DISTINCT viewer_identifier)',
}

/** The name of the group of a segment, in SQL. */
const GROUPS: Readonly<Record<GroupDimension, string>> = {
  location: 'country',
  device: "device_info ->> '$.device.family'",
  'view-source': 'view_type',
}

/** Makes a series: by time, or by value (greatest first) for dimensions that are not times. Leaves out empty groups. */
export function answerSeries(database: DatabaseSync, question: QuestionOf<'series'>): Answer {
  const { number, limit } = question.page
  const all = seriesOf(database, question)
  const items = all.slice((number - 1) * limit, number * limit)
  return { count: all.length, items: items.map((attributes) => JSON.stringify({ type: 'Series', attributes })) }
}

function seriesOf(database: DatabaseSync, question: QuestionOf<'series'>) {
  const { selection, timeZone } = question
  const { dimension } = question.report
  const writeTime = openTimeWriter(timeZone)
  const point = writeTime(selection.fromSeconds ?? 0)
  if (dimension === 'summary') {
    const [total] = tally(database, question, '0')
    return [{ dimension_type: dimension, point, value: total?.value ?? 0 }]
  }
  if (dimension === 'hour' || dimension === 'day' || dimension === 'month') {
    database.function('bucket_of', openBuckets(dimension, timeZone))
    // A segment that started before the range counts in the first bucket.
    return tally(database, question, `bucket_of(max(started_at, ${selection.fromSeconds ?? 0}))`)
      .sort((one, other) => Number(one.name) - Number(other.name))
      .map(({ name, value }) => ({ dimension_type: dimension, point: writeTime(Number(name)), value }))
  }
  return tally(database, question, GROUPS[dimension])
    .sort((one, other) => other.value - one.value || (String(one.name) < String(other.name) ? -1 : 1))
    .map(({ name, value }) => ({ dimension_type: `${dimension}:${name}`, point, value }))
}

function tally(
  database: DatabaseSync,
  { report, selection }: QuestionOf<'series'>,
  name: string,
): { readonly name: SQLOutputValue; readonly value: number }[] {
  const { where, parameters } = selectSegments(selection)
  const rows = database
    .prepare(
      `SELECT ${name} AS name, ${COUNTED[report.metric]} AS value FROM watched_segments INDEXED BY watched_by_start
       WHERE ${where} GROUP BY 1 HAVING value > 0`,
    )
    .all(parameters)
  return rows.map((row) => ({ name: row.name ?? null, value: Number(row.value) }))
}

/** Returns a function from a time to the start of its bucket. Segments come in the order of their start. */
function openBuckets(unit: 'hour' | 'day' | 'month', timeZone: string): (seconds: SQLOutputValue) => number {
  let bucket = { startSeconds: 0, endSeconds: Number.NEGATIVE_INFINITY }
  return (given) => {
    const seconds = Number(given)
    if (seconds < bucket.startSeconds || seconds >= bucket.endSeconds) bucket = bucketAround(seconds, unit, timeZone)
    return bucket.startSeconds
  }
}
