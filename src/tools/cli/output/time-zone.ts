/** A calendar unit of the time dimensions of the reports. */
export type TimeUnit = 'month' | 'day' | 'hour'

/** A time zone of the IANA database. All times are UNIX milliseconds. */
export interface TimeZone {
  readonly name: string
  /** Returns the milliseconds by which local time is ahead of UTC at this time. */
  offsetMsAt(timeMs: number): number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Opens a time zone. @throws RangeError for an unknown name. */
export function openTimeZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' })
  return {
    name,
    offsetMsAt(timeMs) {
      const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(timeMs)) ?? []
      return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000)
    },
  }
}

/** Node gives this name, and uses UTC, if the setting TZ is empty. No zone has this name. */
const UNKNOWN_ZONE = 'Etc/Unknown'

/** Opens the time zone of this machine. */
export function machineTimeZone(): TimeZone {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return openTimeZone(timeZone === UNKNOWN_ZONE ? 'UTC' : timeZone)
}

/**
 * Returns the time of a local date and time. If the clocks skip this local time, returns a time after the change. If the
 * local time comes twice, returns the first time.
 * @param localMs the local date and time, as if it were UTC.
 */
export function timeOfLocal({ offsetMsAt }: TimeZone, localMs: number): number {
  const before = offsetMsAt(localMs - DAY_MS)
  const after = offsetMsAt(localMs + DAY_MS)
  const isExact = (offsetMs: number) => offsetMsAt(localMs - offsetMs) === offsetMs
  return localMs - (!isExact(before) && isExact(after) ? after : before)
}

/** Returns the start of the month, day or hour of a local time. @param localMs a local time, as if it were UTC. */
export function localStartOf(unit: TimeUnit, localMs: number): number {
  if (unit === 'hour') return Math.floor(localMs / HOUR_MS) * HOUR_MS
  if (unit === 'day') return Math.floor(localMs / DAY_MS) * DAY_MS
  return new Date(localStartOf('day', localMs)).setUTCDate(1)
}

/** Writes a time as `YYYY-MM-DDThh:mm:ss+hh:mm`. */
export function isoWithOffset(timeMs: number, offsetMs: number): string {
  return `${new Date(timeMs + offsetMs).toISOString().slice(0, 19)}${offsetText(offsetMs)}`
}

/** Writes an offset as `+hh:mm`. */
export function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000
  const twoDigits = (number: number) => String(Math.trunc(number)).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`
}
