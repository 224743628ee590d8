import { timeBuckets } from '../output/time-buckets.ts'
import type { TimeRange } from '../output/time-range.ts'
import { machineTimeZone } from '../output/time-zone.ts'
import { markWords, rangeWords } from '../output/words.ts'

/** A span of time in one of two colors. */
export interface Span extends TimeRange {
  readonly layer: 0 | 1
}

/** A chart of rows: a name, words, and bars from the left to the right. Needs no script. */
export interface RowsChart {
  readonly kind: 'rows'
  /** True if the whole width means something: all of it, or the period. */
  readonly hasTrack: boolean
  readonly marks: readonly { readonly percent: string; readonly words: string }[]
  readonly rows: readonly (Row & { readonly bars: readonly Bar[] })[]
}

interface Row {
  /** Untrusted text from the service. */
  readonly name: string
  /** Our text at the end of the line. */
  readonly aside: string
}

type Bar = ReturnType<typeof barOf>

const MOST_MARKS = 8
const DAY_MS = 86_400_000
/** The label of a mark nearer to an end would leave the page on a phone. */
const LABEL_REACH = 0.07
/** Keeps a minute visible in a drawing of a month. */
const THINNEST = 0.002

/**
 * Draws one bar for each row.
 * @param whole the number that fills the width: 100 %. Null if the numbers have no sum: the longest bar then fills it.
 */
export function barsChart(rows: readonly (Row & { readonly value: number })[], whole: number | null): RowsChart {
  const most = whole ?? Math.max(...rows.map(({ value }) => value), Number.MIN_VALUE)
  const bars = (value: number) => [barOf(0, most === 0 ? 0 : value / most, 0, '')]
  return {
    kind: 'rows',
    hasTrack: whole !== null,
    marks: [],
    rows: rows.map(({ name, aside, value }) => ({ name, aside, bars: bars(value) })),
  }
}

/** Draws the spans of each row on the same time axis. */
export function timelinesChart(
  range: TimeRange,
  rows: readonly (Row & { readonly spans: readonly Span[] })[],
): RowsChart {
  const shareOf = (timeMs: number) => Math.min(1, Math.max(0, (timeMs - range.fromMs) / (range.toMs - range.fromMs)))
  const { bordersMs, stepMs } = timeBuckets(range, machineTimeZone(), { most: MOST_MARKS })
  const marked = bordersMs.filter((timeMs) => shareOf(timeMs) > LABEL_REACH && shareOf(timeMs) < 1 - LABEL_REACH)
  return {
    kind: 'rows',
    hasTrack: true,
    marks: marked.map((timeMs) => ({
      percent: percent(shareOf(timeMs)),
      words: markWords(timeMs, stepMs >= DAY_MS ? 'day' : 'minute'),
    })),
    rows: rows.map(({ name, aside, spans }) => ({
      name,
      aside,
      bars: spans.map((span) => barOf(shareOf(span.fromMs), shareOf(span.toMs), span.layer, rangeWords(span))),
    })),
  }
}

function barOf(from: number, to: number, layer: 0 | 1, words: string) {
  const width = to === 0 ? 0 : Math.max(THINNEST, to - from)
  return { fromPercent: percent(Math.min(from, 1 - width)), widthPercent: percent(width), layer, words }
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))}%`
}
