import { Temporal } from 'temporal-polyfill'

/** Where a time without an offset is read, as the analytics document says. */
const SERVICE_TIME_ZONE = 'America/Los_Angeles'

export interface TimeParameter {
  readonly seconds: number
  /** The offset that was given, as "+hh:mm", else the zone of the service. */
  readonly timeZone: string
}

// The hours end at 23 and the seconds at 59. "-00:00" is no ISO 8601 offset. A space is a plus sign that was not encoded.
const TIME = /^(\d{4}-\d{2}-\d{2}T[0-2]\d:[0-5]\d:[0-5]\d)(Z|(?!-00:00)[+\- ](?:[01]\d|2[0-3]):[0-5]\d)?$/

/**
 * Reads `YYYY-MM-DDThh:mm:ss` with an offset, with `Z`, or without: then as the clock in Los Angeles showed it. A time that
 * this clock skipped counts as one hour later, and of a time that it showed twice the first is meant.
 * @returns null for anything else, dates that do not exist included.
 */
export function readTimeParameter(text: string): TimeParameter | null {
  const [, local, offset] = TIME.exec(text) ?? []
  if (local === undefined) return null
  const timeZone = offset === undefined ? SERVICE_TIME_ZONE : offset === 'Z' ? '+00:00' : offset.replace(' ', '+')
  try {
    const zoned = Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone, { disambiguation: 'compatible' })
    return { seconds: zoned.epochMilliseconds / 1000, timeZone }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Writes times as `YYYY-MM-DDThh:mm:ss+hh:mm` in one zone. */
export function openTimeWriter(timeZone: string): (seconds: number) => string {
  const offsetAt = openOffsets(timeZone)
  return (seconds) => {
    const offset = offsetAt(seconds)
    return new Date((seconds + offset) * 1000).toISOString().slice(0, 19) + writeOffset(offset)
  }
}

/** A stretch of the calendar, from its first second up to, not including, its end. */
export interface Bucket {
  readonly startSeconds: number
  readonly endSeconds: number
}

/** The hour, day or month of the zone's calendar in which a moment lies. A day of 23 or 25 hours is one day. */
export function bucketAround(seconds: number, unit: 'hour' | 'day' | 'month', timeZone: string): Bucket {
  if (unit === 'hour') {
    const startSeconds = seconds - remainder(seconds + hourShiftSeconds(timeZone), 3_600)
    return { startSeconds, endSeconds: startSeconds + 3_600 }
  }
  const day = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO(timeZone)
    .startOfDay()
  const start = unit === 'day' ? day : day.with({ day: 1 }).startOfDay()
  const end = start.add(unit === 'day' ? { days: 1 } : { months: 1 }).startOfDay()
  return { startSeconds: start.epochMilliseconds / 1000, endSeconds: end.epochMilliseconds / 1000 }
}

/** By how much the hours of a zone begin before those of UTC. Los Angeles shifts by whole hours only. */
export function hourShiftSeconds(timeZone: string): number {
  return remainder(fixedOffsetSeconds(timeZone) ?? 0, 3_600)
}

function openOffsets(timeZone: string): (seconds: number) => number {
  const fixed = fixedOffsetSeconds(timeZone)
  if (fixed !== null) return () => fixed
  // Daylight saving time begins and ends with an hour of UTC.
  const byHour = new Map<number, number>()
  return (seconds) => {
    const hour = Math.floor(seconds / 3_600)
    const known = byHour.get(hour)
    if (known !== undefined) return known
    const instant = Temporal.Instant.fromEpochMilliseconds(hour * 3_600_000)
    const offset = instant.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e9
    byHour.set(hour, offset)
    return offset
  }
}

function fixedOffsetSeconds(timeZone: string): number | null {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(timeZone) ?? []
  if (sign === undefined) return null
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60)
}

function writeOffset(offsetSeconds: number): string {
  const minutes = Math.abs(Math.trunc(offsetSeconds / 60))
  const [hh, mm] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return `${offsetSeconds < 0 ? '-' : '+'}${hh}:${mm}`
}

/** What is left over, never below 0. */
function remainder(dividend: number, divisor: number): number {
  return ((dividend % divisor) + divisor) % divisor
}
