import type { DatabaseSync } from 'node:sqlite'
import type { Granularity } from '../../../video-service/analytics/report-question.ts'
import type { PeakRow } from '../../../video-service/analytics/report-rows.ts'
import type { PageModel, Section, TimesChart } from '../../html-page/page-model.ts'
import { barsChart } from '../../html-page/rows-chart.ts'
import { timeBuckets } from '../../output/time-buckets.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { countWords, numberWords, timeWords } from '../../output/words.ts'
import { contentName } from '../content-titles.ts'
import { readTime } from '../words.ts'
import { nothing, type PageCollector } from './page-collector.ts'

const SHOWN_BARS = 12
/** More lines cannot be told apart. */
const SHOWN_LINES = 5
const UNIT_MS: Readonly<Record<Granularity, number>> = { minute: 60_000, hour: 3_600_000 }

/** The numbers of a channel or video. */
interface Peak {
  readonly name: string
  readonly value: number
  /** The first time of the highest value. */
  readonly timeMs: number
  /** The highest value in each part of the period. */
  readonly parts: readonly number[]
}

/**
 * Collects the peak numbers of viewers for each channel and video. A number counts in the part in which its minute or hour
 * begins: parts are no shorter.
 * @param range the period of the report.
 */
export function peaksPage(
  granularity: Granularity,
  range: TimeRange,
  zone: string,
  database: DatabaseSync,
): PageCollector<PeakRow> {
  const { bordersMs, lengthWords } = timeBuckets(range, zone, { leastMs: UNIT_MS[granularity] })
  database.exec('CREATE TABLE peak (name TEXT, timeMs INTEGER, value REAL)')
  const insert = database.prepare('INSERT INTO peak VALUES (?, ?, ?)')
  function peakOf(name: string, value: number): Peak {
    const parts = bordersMs.slice(1).map(() => 0)
    let highestMs: number | null = null
    const found = database.prepare('SELECT timeMs, value FROM peak WHERE name = ? ORDER BY rowid').iterate(name)
    for (const one of found as unknown as Iterable<Pick<Peak, 'timeMs' | 'value'>>) {
      if (one.value === value) highestMs ??= one.timeMs
      const part = Math.max(
        0,
        bordersMs.findLastIndex((borderMs) => borderMs <= one.timeMs),
      )
      parts[part] = Math.max(parts[part] ?? 0, one.value)
    }
    return { name, value, timeMs: highestMs ?? range.fromMs, parts: parts }
  }
  return {
    add({ content_type, content_id, time, value }) {
      insert.run(contentName(content_type, content_id), readTime(time), value)
    },
    model(titles): PageModel {
      const top = database
        .prepare(`SELECT name, max(value) AS value, count(*) OVER () AS known FROM peak
          GROUP BY name ORDER BY value DESC, name LIMIT ?`)
        .all(SHOWN_BARS) as unknown as { name: string; value: number; known: number }[]
      const peaks = top.map(({ name, value }) => ({ ...peakOf(name, value), name: titles.get(name) ?? name }))
      const lines = peaks.slice(0, SHOWN_LINES)
      const chart: TimesChart = {
        kind: 'times',
        timesTitle: 'From',
        columns: lines.map(({ name }) => ({ title: name, draw: 'line' })),
        range,
        rows: bordersMs.slice(0, -1).map((fromMs, part) => ({
          fromMs,
          toMs: bordersMs[part + 1] ?? range.toMs,
          words: timeWords(fromMs),
          values: lines.map(({ parts }) => parts[part] ?? 0),
        })),
      }
      const words = `The highest number of viewers in each ${lengthWords}.`
      return peaksModel(granularity, peaks, top[0]?.known ?? 0, { title: 'Over time', words, chart })
    },
  }
}

function peaksModel(granularity: Granularity, peaks: readonly Peak[], known: number, times: Section): PageModel {
  const [highest] = peaks
  if (highest === undefined) return nothing('Peak viewer numbers')
  const { name, value, timeMs } = highest
  return {
    title: 'Peak viewer numbers',
    summary: `Peak: ${countWords(value, 'viewer')} of ${name}, in the ${granularity} from ${timeWords(timeMs)}.`,
    figures: [
      { value: numberWords(value), label: `${value === 1 ? 'viewer' : 'viewers'} at the peak, of ${name}` },
      { value: timeWords(timeMs), label: 'time of the peak' },
      { value: numberWords(known), label: known === 1 ? 'channel or video' : 'channels and videos' },
    ],
    sections: [byName(peaks, known), times],
    notes: ['Do not add up these peaks: channels and videos reach their peaks at different times.'],
  }
}

function byName(top: readonly Peak[], known: number): Section {
  return {
    title: 'By channel and video',
    words: `${known > top.length ? `Top ${top.length} of ${numberWords(known)}` : 'All'} by peak.`,
    chart: barsChart(
      top.map(({ name, value, timeMs }) => ({ name, value, aside: `${numberWords(value)} · ${timeWords(timeMs)}` })),
      null,
    ),
  }
}
