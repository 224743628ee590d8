import type { DatabaseSync } from 'node:sqlite'
import type { Granularity } from '../../../video-service/analytics/report-question.ts'
import type { PeakRow } from '../../../video-service/analytics/report-rows.ts'
import type { PageModel, Section } from '../../html-page/page-model.ts'
import { barsChart } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'
import { countWords, numberWords, timeWords } from '../../output/words.ts'
import { createAmounts, spread } from './amounts.ts'
import { nothing, type PageCollector } from './page-collector.ts'

const SHOWN_BARS = 12
/** More lines cannot be told apart. */
const SHOWN_LINES = 5

/** The numbers of a channel or video. */
interface Peak {
  readonly name: string
  readonly value: number
  /** The first time of the highest value. */
  readonly timeMs: number
  /** The highest value in each part of the period. */
  readonly parts: Float64Array
}

/**
 * Collects the peak numbers of viewers for each channel and video.
 * @param range the period of the report.
 */
export function peaksPage(
  granularity: Granularity,
  range: TimeRange,
  zone: string,
  database: DatabaseSync,
): PageCollector<PeakRow> {
  const amounts = createAmounts(granularity, range, zone, database)
  const { bordersMs, lengthWords } = amounts
  function peakOf(name: string, value: number): Peak {
    const parts = new Float64Array(bordersMs.length - 1)
    let highestMs: number | null = null
    for (const amount of amounts.of(name)) {
      if (amount.value === value) highestMs ??= amount.fromMs
      spread(bordersMs, amount, (part) => {
        parts[part] = Math.max(parts[part] ?? 0, amount.value)
      })
    }
    return { name, value, timeMs: highestMs ?? range.fromMs, parts }
  }
  return {
    add: amounts.add,
    model(titles): PageModel {
      const top = amounts.top('max', SHOWN_BARS)
      const peaks = top.map(({ name, value }) => ({ ...peakOf(name, value), name: titles.get(name) ?? name }))
      const lines = peaks.slice(0, SHOWN_LINES)
      const chart = amounts.overTime(
        lines.map(({ name }) => ({ title: name, draw: 'line' })),
        (part) => lines.map(({ parts }) => parts[part] ?? 0),
      )
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
