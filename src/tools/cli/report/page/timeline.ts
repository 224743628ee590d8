import type { Span } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'

/** Joins spans with small gaps, to keep the page small. */
export type Timeline = ReturnType<typeof createTimeline>

/** Parts of a timeline. A finer part would not be visible in the drawing. */
const BINS = 480

export function createTimeline({ fromMs, toMs }: TimeRange) {
  const live = new Uint8Array(BINS)
  const recorded = new Uint8Array(BINS)
  const binOf = (timeMs: number) => Math.min(BINS - 1, Math.floor(((timeMs - fromMs) / (toMs - fromMs)) * BINS))
  const timeOf = (bin: number) => fromMs + ((toMs - fromMs) * bin) / BINS
  function* spansIn(bins: Uint8Array, layer: 0 | 1): Generator<Span> {
    for (let begin = bins.indexOf(1); begin >= 0; ) {
      const end = bins.indexOf(0, begin)
      yield { fromMs: timeOf(begin), toMs: timeOf(end < 0 ? BINS : end), layer }
      begin = end < 0 ? end : bins.indexOf(1, end)
    }
  }
  return {
    /** @param span a part of the period. */
    mark(span: Span): void {
      const bins = span.layer === 0 ? live : recorded
      bins.fill(1, binOf(span.fromMs), binOf(Math.max(span.fromMs, span.toMs - 1)) + 1)
    },
    /** Returns the marked parts, the live ones first. */
    spans: () => [...spansIn(live, 0), ...spansIn(recorded, 1)],
  }
}
