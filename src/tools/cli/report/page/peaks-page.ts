import type { Granularity } from '../../../video-service/report-question.ts'
import type { PeakRow } from '../../../video-service/report-rows.ts'
import type { PageModel, Section } from '../../html-page/page-model.ts'
import { barsChart } from '../../html-page/rows-chart.ts'
import { timeBuckets } from '../../output/time-buckets.ts'
import type { TimeRange } from '../../output/time-range.ts'
import type { TimeZone } from '../../output/time-zone.ts'
import { countWords, numberWords, timeWords } from '../../output/words.ts'
import { nextOf, startOf } from '../calendar.ts'
import { contentName } from '../content-titles.ts'
import { readTime } from '../words.ts'
import { createRanking } from './bounded-ranking.ts'
import { nothing, type PageCollector } from './page-collector.ts'
import { spread } from './spread.ts'

const MOST_NAMES = 2_000
const SHOWN_BARS = 12
/** More lines cannot be told apart. */
const SHOWN_LINES = 5
export const GRANULARITY_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, month: 28 * 86_400_000 }

interface Peak {
  value: number
  timeMs: number
  /** The highest value in each part of the period. */
  readonly parts: Float64Array
}

/**
 * Collects the peak numbers of viewers for each channel and video. Peaks and their times are exact for up to 2,000
 * channels and videos (see createRanking).
 * @param range the period of the report.
 */
export function peaksPage(granularity: Granularity, range: TimeRange, zone: TimeZone): PageCollector<PeakRow> {
  const { bordersMs, lengthWords } = timeBuckets(range, zone, { leastMs: GRANULARITY_MS[granularity] })
  const ranking = createRanking<Peak>({
    most: MOST_NAMES,
    create: () => ({ value: -1, timeMs: 0, parts: new Float64Array(bordersMs.length - 1) }),
    weightOf: ({ value }) => value,
  })
  return {
    add({ content_type, content_id, time, value }) {
      const timeMs = readTime(time)
      const peak = ranking.entryOf(contentName(content_type, content_id))
      if (value > peak.value) Object.assign(peak, { value, timeMs })
      spread(bordersMs, { fromMs: timeMs, toMs: endOfUnit(zone, granularity, timeMs) }, (part) => {
        peak.parts[part] = Math.max(peak.parts[part] ?? 0, value)
      })
    },
    model(titles): PageModel {
      const top = ranking.top(SHOWN_BARS).map(([name, peak]) => ({ ...peak, name: titles.get(name) ?? name }))
      const [highest] = top
      if (highest === undefined) return nothing('Peak viewer numbers')
      const { name, value, timeMs } = highest
      return {
        title: 'Peak viewer numbers',
        summary: `Peak: ${countWords(value, 'viewer')} of ${name}, in the ${granularity} from ${timeWords(timeMs)}.`,
        figures: [
          { value: numberWords(value), label: `${value === 1 ? 'viewer' : 'viewers'} at the peak, of ${name}` },
          { value: timeWords(timeMs), label: 'time of the peak' },
          {
            value: numberWords(ranking.size()),
            label: ranking.size() === 1 ? 'channel or video' : 'channels and videos',
          },
        ],
        sections: [byName(top, ranking.size()), overTime(top.slice(0, SHOWN_LINES), range, bordersMs, lengthWords)],
        notes: ['Do not add up these peaks: channels and videos reach their peaks at different times.'],
      }
    },
  }
}

/** Returns the end of the minute, hour, day or month that starts at this time. The service may count other hours. */
export function endOfUnit(zone: TimeZone, granularity: Granularity, timeMs: number): number {
  if (granularity === 'day' || granularity === 'month') return nextOf(zone, granularity, timeMs)
  const isLocalHour = granularity === 'hour' && startOf(zone, 'hour', timeMs) === timeMs
  return isLocalHour ? nextOf(zone, 'hour', timeMs) : timeMs + GRANULARITY_MS[granularity]
}

function byName(top: readonly (Peak & { readonly name: string })[], known: number): Section {
  return {
    title: 'By channel and video',
    words: `${known > top.length ? `Top ${top.length} of ${numberWords(known)}` : 'All'} by peak.`,
    chart: barsChart(
      top.map(({ name, value, timeMs }) => ({ name, value, aside: `${numberWords(value)} · ${timeWords(timeMs)}` })),
      null,
    ),
  }
}

function overTime(
  top: readonly (Peak & { readonly name: string })[],
  range: TimeRange,
  bordersMs: readonly number[],
  lengthWords: string,
): Section {
  const rows = bordersMs.slice(0, -1).map((fromMs, part) => ({
    ...{ fromMs, toMs: bordersMs[part + 1] ?? range.toMs, words: timeWords(fromMs) },
    values: top.map(({ parts }) => parts[part] ?? 0),
  }))
  return {
    title: 'Over time',
    words: `The highest number of viewers in each ${lengthWords}.`,
    chart: {
      kind: 'times',
      timesTitle: 'From',
      columns: top.map(({ name }) => ({ title: name, draw: 'line' })),
      range,
      rows,
    },
  }
}
