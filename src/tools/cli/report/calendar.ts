import { localStartOf, type TimeUnit, type TimeZone, timeOfLocal } from '../output/time-zone.ts'

/** No zone changes its clocks twice in a week. */
const CHANGE_SEARCH_STEP_MS = 7 * 86_400_000

/** Returns the start of the local month, day or hour that contains this time. A day can start at 01:00. */
export function startOf(zone: TimeZone, unit: TimeUnit, timeMs: number): number {
  const offsetMs = zone.offsetMsAt(timeMs)
  const localMs = localStartOf(unit, timeMs + offsetMs)
  if (unit !== 'hour') return timeOfLocal(zone, localMs)
  return nextChange(zone, localMs - offsetMs, timeMs) ?? localMs - offsetMs
}

/**
 * Returns the start of the next local month, day or hour. A day can have 23 or 25 hours. An hour is shorter if the
 * clocks change by half an hour.
 */
export function nextOf(zone: TimeZone, unit: TimeUnit, timeMs: number): number {
  const offsetMs = zone.offsetMsAt(timeMs)
  const nextLocalMs = nextLocalStart(unit, timeMs + offsetMs)
  if (unit !== 'hour') return timeOfLocal(zone, nextLocalMs)
  return nextChange(zone, timeMs, nextLocalMs - offsetMs) ?? nextLocalMs - offsetMs
}

/** Returns the first change of the clocks after `afterMs`, up to and including `untilMs`. Null if there is none. */
export function nextChange({ offsetMsAt }: TimeZone, afterMs: number, untilMs: number): number | null {
  const offsetMs = offsetMsAt(afterMs)
  for (let low = afterMs; low < untilMs; low += CHANGE_SEARCH_STEP_MS) {
    let high = Math.min(low + CHANGE_SEARCH_STEP_MS, untilMs)
    if (offsetMsAt(high) === offsetMs) continue
    let earlier = low
    while (high - earlier > 1) {
      const middle = Math.floor((earlier + high) / 2)
      if (offsetMsAt(middle) === offsetMs) earlier = middle
      else high = middle
    }
    return high
  }
  return null
}

/** Returns the start of the next month, day or hour of a local time, with days of 24 hours. */
export function nextLocalStart(unit: TimeUnit, localMs: number): number {
  if (unit === 'hour') return localStartOf('hour', localMs) + 3_600_000
  if (unit === 'day') return localStartOf('day', localMs) + 86_400_000
  return new Date(localStartOf('month', localMs)).setUTCMonth(new Date(localMs).getUTCMonth() + 1)
}
