import type { Span } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'

/** Parts of a timeline. A finer part would not be visible in the drawing. */
const BINS = 480

/**
 * Marks in which parts of a period a viewer watched. Two bits for each part (live, recorded) keep 40,000 viewers small.
 */
export type TimelineBins = Uint8Array

export function createTimelineBins(): TimelineBins {
  return new Uint8Array(BINS / 4)
}

/** Marks all parts that the span touches. */
export function markSpan(bins: TimelineBins, span: Span, { fromMs, toMs }: TimeRange): void {
  const binOf = (timeMs: number) => Math.min(BINS - 1, Math.floor(((timeMs - fromMs) / (toMs - fromMs)) * BINS))
  for (let bin = binOf(span.fromMs); bin <= binOf(Math.max(span.fromMs, span.toMs - 1)); bin += 1) {
    bins[bin >> 2] = (bins[bin >> 2] ?? 0) | ((span.layer + 1) << ((bin & 3) * 2))
  }
}

/** Returns the marked parts as spans, the live ones first. */
export function spansOf(bins: TimelineBins, { fromMs, toMs }: TimeRange): Span[] {
  const timeOf = (bin: number) => fromMs + ((toMs - fromMs) * bin) / BINS
  return ([0, 1] as const).flatMap((layer) => {
    const spans: Span[] = []
    for (let bin = 0, begin = -1; bin <= BINS; bin += 1) {
      const isWatched = (((bins[bin >> 2] ?? 0) >> ((bin & 3) * 2)) & (layer + 1)) !== 0
      if (isWatched && begin < 0) begin = bin
      if (!isWatched && begin >= 0) {
        spans.push({ fromMs: timeOf(begin), toMs: timeOf(bin), layer })
        begin = -1
      }
    }
    return spans
  })
}

/** Joins spans with small gaps, to keep the page small. */
export function joined(spans: readonly Span[], range: TimeRange): Span[] {
  const bins = createTimelineBins()
  for (const span of spans) markSpan(bins, span, range)
  return spansOf(bins, range)
}
