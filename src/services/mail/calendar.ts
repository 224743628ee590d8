/** An event for the calendar of a person. UNIX times in seconds. */
export interface CalendarEvent {
  /** The same in all mails about the event: a calendar then moves the entry. */
  readonly uid: string
  readonly title: string
  readonly opensAtSeconds: number
  /** Null for an event without an end. */
  readonly closesAtSeconds: number | null
  readonly watchUrl: string | null
}

/** Writes a calendar file with one event: RFC 5545, with UTC times. */
export function calendarFile(event: CalendarEvent, nowSeconds: number): string {
  const { uid, title, opensAtSeconds, closesAtSeconds, watchUrl } = event
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//viewer-auth//EN', 'BEGIN:VEVENT'],
    ...[`UID:${escaped(uid)}`, `DTSTAMP:${utc(nowSeconds)}`, `DTSTART:${utc(opensAtSeconds)}`],
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
