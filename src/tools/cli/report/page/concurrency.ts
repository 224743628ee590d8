import type { Span } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'

/** With this many samples a month has one each second. They take 36 MB. */
const MOST_SAMPLES = 3_000_000
const MINUTE_MS = 60_000
const STEPS_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600]

/** The moment of a bucket at which most views ran at once. */
export interface Moment {
  readonly timeMs: number
  readonly live: number
  readonly recorded: number
}

/** One minute: the views that start, that run at once at most, and that end. */
export interface Minute {
  readonly fromMs: number
  readonly arrivals: number
  readonly atOnce: number
  readonly departures: number
}

export interface Concurrency {
  add(span: Span): void
  /** Returns each minute of a part of the period. Empty if the samples are longer than a minute. */
  minutesOf(part: TimeRange): Minute[]
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
  const starts = new Int32Array(samples + 1)
  const sampleFrom = (timeMs: number) => Math.min(samples, Math.max(0, Math.ceil((timeMs - fromMs) / stepMs)))
  const change = (changes: Int32Array, sample: number, by: 1 | -1) => {
    changes[sample] = (changes[sample] ?? 0) + by
  }
  return {
    add(span) {
      const changes = span.layer === 0 ? live : recorded
      change(changes, sampleFrom(span.fromMs), 1)
      change(starts, sampleFrom(span.fromMs), 1)
      change(changes, sampleFrom(span.toMs), -1)
    },
    minutesOf(part) {
      if (stepMs > MINUTE_MS) return []
      const firstSample = sampleFrom(part.fromMs)
      const changeAt = (sample: number) => (live[sample] ?? 0) + (recorded[sample] ?? 0)
      let now = 0
      for (let sample = 0; sample < firstSample; sample += 1) now += changeAt(sample)
      const minutes: Minute[] = []
      for (let beginMs = part.fromMs; beginMs < part.toMs; beginMs += MINUTE_MS) {
        let [arrivals, atOnce, before] = [0, 0, now]
        const end = sampleFrom(Math.min(beginMs + MINUTE_MS, part.toMs))
        for (let sample = sampleFrom(beginMs); sample < end; sample += 1) {
          now += changeAt(sample)
          arrivals += starts[sample] ?? 0
          atOnce = Math.max(atOnce, now)
        }
        minutes.push({ fromMs: beginMs, arrivals, atOnce, departures: before + arrivals - now })
      }
      return minutes
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
