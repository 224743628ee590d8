import type { PeakRow } from '../../../video-service/report-rows.ts'
import type { Point, TimeRange } from '../../html-page/chart.ts'
import { nothing, type PageCollector, type PageModel } from '../../html-page/page-model.ts'
import { countWords, numberWords, readTime, timeWords } from '../../output/words.ts'
import { contentName } from '../content-titles.ts'
import { createRanking } from './bounded-ranking.ts'

const MOST_CONTENTS = 2_000
const SHOWN_CONTENTS = 12
const BINS = 720
const GRANULARITY_MS = { hour: 3_600_000, minute: 60_000 }

interface Peak {
  value: number
  timeMs: number
  /** The highest value in each part of the period. */
  readonly bins: Float64Array
}

/**
 * Collects the peak numbers of viewers for each channel and video. Peaks and their times are exact for up to 2,000
 * channels and videos (see createRanking). The curves show the peak of each 720th of the period.
 * @param range the period of the report.
 */
export function peaksPage(granularity: 'hour' | 'minute', range: TimeRange): PageCollector<PeakRow> {
  const ranking = createRanking<Peak>({
    most: MOST_CONTENTS,
    create: () => ({ value: -1, timeMs: 0, bins: new Float64Array(BINS) }),
    weightOf: ({ value }) => value,
  })
  return {
    add(row) {
      const timeMs = readTime(row.time)
      const peak = ranking.entryOf(contentName(row.content_type, row.content_id))
      if (row.value > peak.value) {
        peak.value = row.value
        peak.timeMs = timeMs
      }
      fill(peak.bins, { fromMs: timeMs, toMs: timeMs + GRANULARITY_MS[granularity] }, range, row.value)
    },
    model(titles) {
      const top = ranking.top(SHOWN_CONTENTS).map(([name, peak]) => [titles.get(name) ?? name, peak] as const)
      return peaksModel(granularity, range, top, ranking.size())
    },
  }
}

function fill(bins: Float64Array, { fromMs, toMs }: TimeRange, range: TimeRange, value: number): void {
  const binOf = (timeMs: number) => ((timeMs - range.fromMs) / (range.toMs - range.fromMs)) * BINS
  const first = Math.max(0, Math.floor(binOf(fromMs)))
  const last = Math.min(BINS, Math.max(first + 1, Math.ceil(binOf(toMs))))
  for (let bin = first; bin < last; bin += 1) bins[bin] = Math.max(bins[bin] ?? 0, value)
}

function peaksModel(
  granularity: 'hour' | 'minute',
  range: TimeRange,
  top: readonly (readonly [string, Peak])[],
  known: number,
): PageModel {
  const title = 'Peak viewer numbers'
  const [highest] = top
  if (highest === undefined) return nothing(title)
  const [name, { value, timeMs }] = highest
  return {
    title,
    summary: `Peak: ${countWords(value, 'viewer')} of ${name}, in the ${granularity} from ${timeWords(timeMs)}.`,
    figures: [
      { value: numberWords(value), label: `${value === 1 ? 'viewer' : 'viewers'} at the peak, of ${name}` },
      { value: timeWords(timeMs), label: 'time of the peak' },
      { value: numberWords(known), label: known === 1 ? 'channel or video' : 'channels and videos' },
    ],
    sections: [
      {
        title: 'By channel and video',
        words: `${known > top.length ? `Top ${top.length} of ${numberWords(known)}` : 'All'} by peak, on the same scale.`,
        chart: {
          kind: 'curves',
          range,
          rows: top.map(([content, peak]) => ({
            name: content,
            aside: `${numberWords(peak.value)} · ${timeWords(peak.timeMs)}`,
            points: pointsOf(peak.bins, range),
          })),
        },
        table: {
          columns: ['Content', 'Peak', `In the ${granularity} from`],
          rows: top.map(([content, peak]) => [content, peak.value, timeWords(peak.timeMs)]),
        },
        legend: null,
        isHalf: false,
      },
    ],
    notes: ['Do not add up these peaks: channels and videos reach their peaks at different times.'],
  }
}

/** Merges equal neighbours, to keep the page small. */
function pointsOf(bins: Float64Array, { fromMs, toMs }: TimeRange): Point[] {
  const timeOf = (bin: number) => fromMs + ((toMs - fromMs) * bin) / BINS
  const points: Point[] = []
  for (let bin = 0, begin = 0; bin < BINS; bin += 1) {
    if (bins[bin] === bins[bin + 1]) continue
    const value = bins[bin] ?? 0
    if (value > 0) points.push({ fromMs: timeOf(begin), toMs: timeOf(bin + 1), values: [value] })
    begin = bin + 1
  }
  return points
}
