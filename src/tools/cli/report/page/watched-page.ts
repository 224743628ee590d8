import type { DatabaseSync } from 'node:sqlite'
import type { Granularity } from '../../../video-service/report-question.ts'
import type { PeakRow } from '../../../video-service/report-rows.ts'
import { barsChart } from '../../html-page/rows-chart.ts'
import { timeBuckets } from '../../output/time-buckets.ts'
import type { TimeRange } from '../../output/time-range.ts'
import type { TimeZone } from '../../output/time-zone.ts'
import { numberWords, shareWords, timeWords } from '../../output/words.ts'
import { contentName } from '../content-titles.ts'
import { durationWords, readTime } from '../words.ts'
import { nothing, type PageCollector } from './page-collector.ts'
import { endOfUnit, GRANULARITY_MS } from './peaks-page.ts'
import { spread } from './spread.ts'

const SHOWN_BARS = 25

/**
 * Collects the seconds that viewers watched, for each channel and video and over time. A number counts evenly in its
 * minute, hour, day or month.
 * @param range the period of the report.
 */
export function watchedPage(
  granularity: Granularity,
  range: TimeRange,
  zone: TimeZone,
  database: DatabaseSync,
): PageCollector<PeakRow> {
  const { bordersMs, lengthWords } = timeBuckets(range, zone, { leastMs: GRANULARITY_MS[granularity] })
  const seconds = new Float64Array(bordersMs.length - 1)
  database.exec('CREATE TABLE watched (name TEXT, seconds REAL)')
  const insert = database.prepare('INSERT INTO watched VALUES (?, ?)')
  let total = 0
  return {
    add({ content_type, content_id, time, value }) {
      const fromMs = readTime(time)
      const toMs = endOfUnit(zone, granularity, fromMs)
      total += value
      insert.run(contentName(content_type, content_id), value)
      spread(bordersMs, { fromMs, toMs }, (part, partMs) => {
        seconds[part] = (seconds[part] ?? 0) + (value * partMs) / (toMs - fromMs)
      })
    },
    model(titles) {
      if (total === 0) return nothing('Watched time')
      const top = database
        .prepare(`SELECT name, sum(seconds) AS value, count(*) OVER () AS known FROM watched
          GROUP BY name ORDER BY value DESC, name LIMIT ?`)
        .all(SHOWN_BARS) as unknown as { name: string; value: number; known: number }[]
      const known = top[0]?.known ?? 0
      return {
        title: 'Watched time',
        summary: `${durationWords(total * 1_000)} in the whole period, all viewers together.`,
        figures: [
          { value: numberWords(total), label: 'seconds' },
          { value: numberWords(known), label: 'channels and videos' },
        ],
        sections: [
          {
            title: 'By channel and video',
            words: known > top.length ? `Top ${top.length} by time.` : 'All by time.',
            chart: barsChart(
              top.map(({ name, value }) => ({
                name: titles.get(name) ?? name,
                value,
                aside: `${durationWords(value * 1_000)} · ${shareWords(value, total)}`,
              })),
              total,
            ),
          },
          {
            title: 'Over time',
            words: `The seconds in each ${lengthWords}.`,
            chart: {
              kind: 'times',
              timesTitle: 'From',
              columns: [{ title: 'Seconds', draw: 'area' }],
              range,
              rows: [...seconds].map((value, part) => {
                const fromMs = bordersMs[part] ?? range.fromMs
                const words = timeWords(fromMs)
                return { fromMs, toMs: bordersMs[part + 1] ?? range.toMs, words, values: [Math.round(value)] }
              }),
            },
          },
        ],
        notes: [],
      }
    },
  }
}
