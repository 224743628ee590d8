import { orUndefined } from '../errors.ts'

const ISO = /^([12]\d{3}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)$/

/** A time, and the zone in which its writer thinks: `UTC`, or an offset such as `+01:00`. */
export interface ZonedTime {
  /** UNIX time. */
  readonly seconds: number
  readonly zone: string
  /** As it was written. */
  readonly text: string
}

/** Parses an ISO 8601 time with a zone. Null for any other text, and for a day that no calendar has. */
export function parseTime(text: string): ZonedTime | null {
  const [, date, time, offset] = ISO.exec(text) ?? []
  if (date === undefined || time?.startsWith('24')) return null
  // JavaScript would read 30 February as 2 March.
  const day = new Date(`${date}T00:00:00Z`)
  const ms = Date.parse(text)
  if (Number.isNaN(ms) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return null
  return { seconds: ms / 1000, zone: offset === undefined || /^(Z|[+-]00:00)$/.test(offset) ? 'UTC' : offset, text }
}

const DAY = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
const CLOCK = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
const PARTS = { day: DAY, clock: CLOCK, all: { ...DAY, ...CLOCK } }
const formats = new Map<string, Intl.DateTimeFormat>()

/** Writes a time as readers of a language know it: by default with its day, year and zone. */
export function timeText(
  language: string,
  seconds: number,
  timeZone: string,
  parts: keyof typeof PARTS = 'all',
): string {
  const key = `${language} ${timeZone} ${parts}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, { ...PARTS[parts], timeZone })
  formats.set(key, format)
  return format.format(seconds * 1000)
}

/** True for a name of the IANA database, and for an offset such as `+01:00`. */
export function isTimeZone(name: string): boolean {
  return orUndefined(() => new Intl.DateTimeFormat('en', { timeZone: name })) !== undefined
}
