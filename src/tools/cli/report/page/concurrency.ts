import type { Span } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'

/** With this many samples a month has one each second. Two layers take 24 MB. */
const MOST_SAMPLES = 3_000_000
const STEPS_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600]

/** The moment of a bucket at which most views ran at once. */
export interface Moment {
  readonly timeMs: number
  readonly live: number
  readonly recorded: number
}

export interface Concurrency {
  add(span: Span): void
  /** Returns the highest moment of each bucket, the first one of equal moments. */
  highest(bordersMs: readonly number[]): Moment[]
}

/**
 * Counts how many views ran at once. Samples the period each second up to 34 days, and more rarely in a longer period.
 * Times of the service have whole seconds, so the result of a month is exact. A view that ends when the next one
 * starts is not counted twice.
 */
export function createConcurrency({ fromMs, toMs }: TimeRange): Concurrency {
  const seconds = (toMs - fromMs) / 1000
  const stepMs = 1000 * (STEPS_SECONDS.find((step) => seconds / step <= MOST_SAMPLES) ?? seconds / MOST_SAMPLES)
  const samples = Math.ceil((toMs - fromMs) / stepMs)
  // The change from one sample to the next.
  const [live, recorded] = [new Int32Array(samples + 1), new Int32Array(samples + 1)]
  const sampleFrom = (timeMs: number) => Math.min(samples, Math.max(0, Math.ceil((timeMs - fromMs) / stepMs)))
  const change = (changes: Int32Array, sample: number, by: 1 | -1) => {
    changes[sample] = (changes[sample] ?? 0) + by
  }
  return {
    add(span) {
      const changes = span.layer === 0 ? live : recorded
      change(changes, sampleFrom(span.fromMs), 1)
      change(changes, sampleFrom(span.toMs), -1)
    },
    highest(bordersMs) {
      let [sample, liveNow, recordedNow] = [0, 0, 0]
      return bordersMs.slice(0, -1).map((begin, bucket) => {
        let most: Moment = { timeMs: begin, live: 0, recorded: 0 }
        for (const end = sampleFrom(bordersMs[bucket + 1] ?? toMs); sample < end; sample += 1) {
          liveNow += live[sample] ?? 0
          recordedNow += recorded[sample] ?? 0
          if (liveNow + recordedNow > most.live + most.recorded) {
            most = { timeMs: fromMs + sample * stepMs, live: liveNow, recorded: recordedNow }
          }
        }
        return most
      })
    },
  }
}
