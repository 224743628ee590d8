import type { DatabaseSync } from 'node:sqlite'
import type { Granularity } from '../../../video-service/analytics/report-question.ts'
import type { PeakRow } from '../../../video-service/analytics/report-rows.ts'
import { barsChart } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { numberWords, shareWords } from '../../output/words.ts'
import { durationWords } from '../words.ts'
import { createAmounts, spread } from './amounts.ts'
import { nothing, type PageCollector } from './page-collector.ts'

const SHOWN_BARS = 25

/**
 * Collects the seconds that viewers watched, for each channel and video and over time. A number counts evenly in its
 * minute, hour, day or month.
 * @param range the period of the report.
 */
export function watchedPage(
  granularity: Granularity,
  range: TimeRange,
  zone: string,
  database: DatabaseSync,
): PageCollector<PeakRow> {
  const amounts = createAmounts(granularity, range, zone, database)
  const { bordersMs, lengthWords } = amounts
  const seconds = new Float64Array(bordersMs.length - 1)
  let total = 0
  return {
    add(row) {
      const { fromMs, toMs, value } = amounts.add(row)
      total += value
      spread(bordersMs, { fromMs, toMs }, (part, partMs) => {
        seconds[part] = (seconds[part] ?? 0) + (value * partMs) / (toMs - fromMs)
      })
    },
    model(titles) {
      if (total === 0) return nothing('Watched time')
      const top = amounts.top('sum', SHOWN_BARS)
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
            chart: amounts.overTime([{ title: 'Seconds', draw: 'area' }], (part) => [Math.round(seconds[part] ?? 0)]),
          },
        ],
        notes: [],
      }
    },
  }
}
