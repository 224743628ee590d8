import type { TimeRange } from './time-range.ts'
import { zonedTime } from './time-zone.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const STEPS_MS = [1, 2, 5, 10, 15, 30]
  .map((minutes) => minutes * MINUTE_MS)
  .concat([1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS))
  .concat([1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * DAY_MS))

/**
 * Divides the range into buckets of equal length, on round local times. When the clocks change, a bucket of several
 * hours or of days is an hour shorter or longer. An hour is shorter if the clocks change by half an hour.
 * @param leastMs the least length of a bucket.
 * @returns `bordersMs`, the start of each bucket and the end of the last one, and `lengthWords` such as "10 minutes".
 */
export function timeBuckets({ fromMs, toMs }: TimeRange, zone: string, { most = 180, leastMs = 0 } = {}) {
  const stepMs =
    STEPS_MS.find((step) => step >= leastMs && (toMs - fromMs) / step <= most - 1) ??
    Math.ceil((toMs - fromMs) / DAY_MS / most) * DAY_MS
  const midnight = zonedTime(fromMs, zone).toPlainDate().toPlainDateTime()
  const sinceMidnight = (milliseconds: number) => midnight.add({ milliseconds }).toZonedDateTime(zone).epochMilliseconds
  // Steps in local time would leave out the hour that comes twice.
  const nextRound = (timeMs: number) =>
    timeMs + stepMs - ((timeMs + zonedTime(timeMs, zone).offsetNanoseconds / 1e6) % stepMs)
  const bordersMs = [fromMs]
  let borderMs = sinceMidnight(0)
  for (let steps = 1; borderMs < toMs; steps += 1) {
    if (borderMs > fromMs) bordersMs.push(borderMs)
    borderMs = stepMs <= HOUR_MS ? nextRound(borderMs) : sinceMidnight(steps * stepMs)
  }
  return { bordersMs: [...bordersMs, toMs], stepMs, lengthWords: wordsOf(stepMs) }
}

function wordsOf(stepMs: number): string {
  if (stepMs < HOUR_MS) return plural(stepMs / MINUTE_MS, 'minute')
  return stepMs < DAY_MS ? plural(stepMs / HOUR_MS, 'hour') : plural(stepMs / DAY_MS, 'day')
}

function plural(count: number, unit: string): string {
  return count === 1 ? unit : `${count} ${unit}s`
}
