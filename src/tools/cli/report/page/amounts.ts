import type { DatabaseSync } from 'node:sqlite'
import type { Granularity } from '../../../video-service/analytics/report-question.ts'
import type { PeakRow } from '../../../video-service/analytics/report-rows.ts'
import type { TimesChart } from '../../html-page/page-model.ts'
import { timeBuckets } from '../../output/time-buckets.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { timeWords } from '../../output/words.ts'
import { nextOf, startOf } from '../calendar.ts'
import { contentName } from '../content-titles.ts'
import { readTime } from '../words.ts'

/** The number of one channel or video in one minute, hour, day or month: its peak, or its seconds. */
interface Amount extends TimeRange {
  readonly value: number
}

/** The shortest length of each unit. */
const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, month: 28 * 86_400_000 }

/** Keeps the numbers of each channel and video. @param range the period of the report. */
export function createAmounts(unit: Granularity, range: TimeRange, zone: string, database: DatabaseSync) {
  const { bordersMs, lengthWords } = timeBuckets(range, zone, { leastMs: UNIT_MS[unit] })
  database.exec('CREATE TABLE amount (name TEXT, fromMs INTEGER, toMs INTEGER, value REAL)')
  const insert = database.prepare('INSERT INTO amount VALUES (?, ?, ?, ?)')
  return {
    bordersMs,
    /** The length of the parts of the period: "10 minutes". */
    lengthWords,
    add({ content_type, content_id, time, value }: PeakRow): Amount {
      const fromMs = readTime(time)
      const toMs = endOfUnit(zone, unit, fromMs)
      insert.run(contentName(content_type, content_id), fromMs, toMs, value)
      return { fromMs, toMs, value }
    },
    /** Returns the names with the highest number, or the highest sum. `known` is the number of all names. */
    top: (by: 'max' | 'sum', most: number) =>
      database
        .prepare(`SELECT name, ${by}(value) AS value, count(*) OVER () AS known FROM amount
          GROUP BY name ORDER BY value DESC, name LIMIT ?`)
        .all(most) as unknown as { name: string; value: number; known: number }[],
    /** Yields the numbers of one name, as they were added. */
    of: (name: string) =>
      database
        .prepare('SELECT fromMs, toMs, value FROM amount WHERE name = ? ORDER BY rowid')
        .iterate(name) as unknown as Iterable<Amount>,
    /** Returns a chart of the parts of the period. @param valuesOf the values of a part, by its index. */
    overTime: (columns: TimesChart['columns'], valuesOf: (part: number) => readonly number[]): TimesChart => ({
      kind: 'times',
      timesTitle: 'From',
      columns,
      range,
      rows: bordersMs.slice(0, -1).map((fromMs, part) => ({
        fromMs,
        toMs: bordersMs[part + 1] ?? range.toMs,
        words: timeWords(fromMs),
        values: valuesOf(part),
      })),
    }),
  }
}

/** Returns the end of the minute, hour, day or month that starts at this time. The service may count other hours. */
export function endOfUnit(zone: string, unit: Granularity, timeMs: number): number {
  if (unit === 'day' || unit === 'month') return nextOf(zone, unit, timeMs)
  const isLocalHour = unit === 'hour' && startOf(zone, 'hour', timeMs) === timeMs
  return isLocalHour ? nextOf(zone, 'hour', timeMs) : timeMs + UNIT_MS[unit]
}

/**
 * Calls `give` for each bucket that a span touches, with the milliseconds of the span in this bucket.
 * Does nothing for a span outside of all buckets.
 */
export function spread(
  bordersMs: readonly number[],
  { fromMs, toMs }: TimeRange,
  give: (bucket: number, ms: number) => void,
): void {
  const first = bordersMs.findLastIndex((borderMs) => borderMs <= fromMs)
  for (let bucket = Math.max(0, first); bucket < bordersMs.length - 1; bucket += 1) {
    const begin = bordersMs[bucket] ?? 0
    const end = bordersMs[bucket + 1] ?? 0
    if (begin >= toMs) return
    give(bucket, Math.min(end, toMs) - Math.max(begin, fromMs))
  }
}
