import { Temporal } from 'temporal-polyfill'

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
  return (seconds) =>
    Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toString({ timeZone, smallestUnit: 'second' })
}

/** A minute, hour, day or month. The end is not included. */
export interface Bucket {
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Finds the minute, hour, day or month of this zone that contains a moment. A day may have 23 or 25 hours. */
export function bucketAround(seconds: number, unit: 'minute' | 'hour' | 'day' | 'month', timeZone: string): Bucket {
  const time = zonedTime(seconds, timeZone)
  const start =
    unit === 'minute' || unit === 'hour'
      ? time.round({ smallestUnit: unit, roundingMode: 'floor' })
      : time.with({ day: unit === 'day' ? time.day : 1 }).startOfDay()
  const end = start.add({ [`${unit}s`]: 1 })
  return { startSeconds: start.epochMilliseconds / 1000, endSeconds: end.epochMilliseconds / 1000 }
}

function zonedTime(seconds: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(timeZone)
}
