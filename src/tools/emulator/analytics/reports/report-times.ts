import { Temporal } from 'temporal-polyfill'
import type { Granularity } from './report-question.ts'

/** Zone of times without an offset (analytics document). */
const SERVICE_TIME_ZONE = 'America/Los_Angeles'

export interface TimeParameter {
  readonly seconds: number
  /** The offset as "+hh:mm", else the zone of the service. */
  readonly timeZone: string
}

// "-00:00" is not an ISO 8601 offset. A space is a plus sign that was not URL-encoded.
const TIME = /^(\d{4}-\d{2}-\d{2}T[0-2]\d:[0-5]\d:[0-5]\d)(Z|(?!-00:00)[+\- ](?:[01]\d|2[0-3]):[0-5]\d)?$/

/**
 * Reads `YYYY-MM-DDThh:mm:ss` with an offset, with `Z`, or without an offset (Los Angeles time). A time that the change
 * to daylight saving time skips is one hour later. Of a time that comes twice, the first is meant.
 * @returns null for any other text, and for dates that do not exist.
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

/** Returns how a valid time parameter differs from the document's format, as a phrase; null if it does not. */
export function unusualTime(text: string): string | null {
  if (text.endsWith('Z')) return 'a time with "Z"'
  return text.includes(' ') ? 'a time with a blank in place of "+"' : null
}

/** Returns a function that writes UNIX seconds as `YYYY-MM-DDThh:mm:ss+hh:mm` in this zone. */
export function openTimeWriter(timeZone: string): (seconds: number) => string {
  const offsetAt = openOffsets(timeZone)
  return (seconds) => {
    const offset = offsetAt(seconds)
    return new Date((seconds + offset) * 1000).toISOString().slice(0, 19) + writeOffset(offset)
  }
}

/** A minute, hour, day or month. The end is not included. */
export interface Bucket {
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Finds the minute, hour, day or month of this zone that contains a moment. A day may have 23 or 25 hours. */
export function bucketAround(seconds: number, unit: Granularity, timeZone: string): Bucket {
  if (unit === 'minute' || unit === 'hour') {
    const sizeSeconds = unit === 'hour' ? 3_600 : 60
    // The hours of a zone such as +05:30 start at another minute than those of UTC. Los Angeles has the hours of UTC.
    const startSeconds = seconds - remainder(seconds + (fixedOffsetSeconds(timeZone) ?? 0), sizeSeconds)
    return { startSeconds, endSeconds: startSeconds + sizeSeconds }
  }
  const day = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO(timeZone)
    .startOfDay()
  const start = unit === 'day' ? day : day.with({ day: 1 }).startOfDay()
  const end = start.add(unit === 'day' ? { days: 1 } : { months: 1 }).startOfDay()
  return { startSeconds: start.epochMilliseconds / 1000, endSeconds: end.epochMilliseconds / 1000 }
}

function openOffsets(timeZone: string): (seconds: number) => number {
  const fixed = fixedOffsetSeconds(timeZone)
  if (fixed !== null) return () => fixed
  // Daylight saving time begins and ends at a full hour of UTC.
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
  const time = new Date(Math.abs(offsetSeconds) * 1000).toISOString().slice(11, 16)
  return `${offsetSeconds < 0 ? '-' : '+'}${time}`
}

/** The remainder of a division, never below 0. */
function remainder(dividend: number, divisor: number): number {
  return ((dividend % divisor) + divisor) % divisor
}
