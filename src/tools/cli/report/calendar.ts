import { zonedTime } from '../output/time-zone.ts'

/** A calendar unit of the time dimensions of the reports. */
export type TimeUnit = 'month' | 'day' | 'hour'

const HOUR_MS = 3_600_000

/** Returns the start of the local month, day or hour that contains this time. A day can start at 01:00. */
export function startOf(zone: string, unit: TimeUnit, timeMs: number): number {
  if (unit !== 'hour') return firstDayOf(zone, unit, timeMs).startOfDay().epochMilliseconds
  const startMs = fullHour(zone, timeMs)
  return nextChange(zone, startMs, timeMs) ?? startMs
}

/**
 * Returns the start of the next local month, day or hour. A day can have 23 or 25 hours. An hour is shorter if the
 * clocks change by half an hour.
 */
export function nextOf(zone: string, unit: TimeUnit, timeMs: number): number {
  if (unit !== 'hour') {
    return firstDayOf(zone, unit, timeMs)
      .add({ [`${unit}s`]: 1 })
      .startOfDay().epochMilliseconds
  }
  const endMs = fullHour(zone, timeMs) + HOUR_MS
  return nextChange(zone, timeMs, endMs) ?? endMs
}

function firstDayOf(zone: string, unit: 'month' | 'day', timeMs: number) {
  const time = zonedTime(timeMs, zone)
  return unit === 'day' ? time : time.with({ day: 1 })
}

/** Returns the last full hour, by the offset of this time. */
function fullHour(zone: string, timeMs: number): number {
  const localMs = timeMs + zonedTime(timeMs, zone).offsetNanoseconds / 1e6
  return timeMs - (localMs % HOUR_MS)
}

/** Returns the first change of the clocks after `afterMs`, up to and including `untilMs`. Null if there is none. */
export function nextChange(zone: string, afterMs: number, untilMs: number): number | null {
  const changeMs = zonedTime(afterMs, zone).getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY
  return changeMs <= untilMs ? changeMs : null
}
