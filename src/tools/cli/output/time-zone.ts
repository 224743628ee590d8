import { Temporal } from 'temporal-polyfill'

/** Node gives this name, and uses UTC, if the setting TZ is empty. No zone has this name. */
const UNKNOWN_ZONE = 'Etc/Unknown'

/** Returns the name of the time zone of this machine. */
export function machineTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return timeZone === UNKNOWN_ZONE ? 'UTC' : timeZone
}

/**
 * Returns a time as the calendar and clocks of a zone show it.
 * @param timeMs UNIX time in milliseconds.
 * @param zone a name of the IANA database, or an offset such as `+01:00`.
 */
export function zonedTime(timeMs: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(zone)
}

/** Offsets by zone and quarter of an hour, the shortest time between two of them. A report writes millions of times. */
const offsets = new Map<string, { readonly ms: number; readonly text: string }>()
const QUARTER_MS = 900_000

/** Writes a time as `YYYY-MM-DDThh:mm:ss+hh:mm`, with the offset of the zone. */
export function localIso(timeMs: number, zone: string): string {
  const key = `${zone} ${Math.floor(timeMs / QUARTER_MS)}`
  let offset = offsets.get(key)
  if (offset === undefined) {
    const { offset: text, offsetNanoseconds } = zonedTime(timeMs, zone)
    offset = { ms: offsetNanoseconds / 1e6, text }
    offsets.set(key, offset)
  }
  return `${new Date(timeMs + offset.ms).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length)}${offset.text}`
}

/** Returns the time of `2026-11-27T20:15`. Skipped clocks mean a time after the change, and repeated ones the first time. */
export function timeOfLocal(local: string, zone: string): number {
  return Temporal.PlainDateTime.from(local).toZonedDateTime(zone).epochMilliseconds
}

/** Returns the last second of a day, such as `2026-11-27`. */
export function lastSecondOf(day: string, zone: string): number {
  return Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds - 1000
}

/** Returns the times at which clocks show `2026-11-27T20:15`: none if they skip it, and two if it comes twice. */
export function timesOf(local: string, zone: string): number[] {
  const clock = Temporal.PlainDateTime.from(local)
  const times = (['earlier', 'later'] as const)
    .map((disambiguation) => clock.toZonedDateTime(zone, { disambiguation }))
    .filter((time) => time.toPlainDateTime().equals(clock))
  return [...new Set(times.map((time) => time.epochMilliseconds))]
}
