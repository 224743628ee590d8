/** An event for the calendar of a person. UNIX times in seconds. */
export interface CalendarEvent {
  readonly entryPoint: string
  /** The host of the login app. */
  readonly host: string
  readonly title: string
  readonly opensAtSeconds: number
  /** Null for an event without an end. */
  readonly closesAtSeconds: number | null
  readonly watchUrl: string | null
}

/**
 * Writes a calendar file with one event: RFC 5545, with UTC times. The UID has the entry point and the day of the start
 * in UTC: calendars move the entry to a later hour of this day, and add an entry for another day.
 */
export function calendarFile(event: CalendarEvent, nowSeconds: number): string {
  const { entryPoint, host, title, opensAtSeconds, closesAtSeconds, watchUrl } = event
  const start = utc(opensAtSeconds)
  const uid = `${entryPoint}-${start.slice(0, 8)}@${host}`
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//viewer-auth//EN', 'BEGIN:VEVENT'],
    ...[`UID:${escaped(uid)}`, `DTSTAMP:${utc(nowSeconds)}`, `DTSTART:${start}`],
    ...(closesAtSeconds === null ? [] : [`DTEND:${utc(closesAtSeconds)}`]),
    `SUMMARY:${escaped(title)}`,
    ...(watchUrl === null ? [] : [`LOCATION:${escaped(watchUrl)}`, `URL:${watchUrl}`]),
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ]
  return lines.map(folded).join('\r\n')
}

function utc(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/[-:]|\.\d+/g, '')
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n?|\n/g, '\\n')
}

/** Breaks a line of more than 75 bytes. A character has four at the most. */
function folded(line: string): string {
  return Buffer.byteLength(line) <= 75 ? line : (line.match(/.{1,18}/gsu) ?? []).join('\r\n ')
}
