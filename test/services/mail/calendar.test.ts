import { expect, test } from 'vitest'
import { calendarFile } from '../../../src/services/mail/calendar.ts'

const EVENT = {
  entryPoint: 'gold',
  host: 'login.example.com',
  title: 'Annual meeting',
  opensAtSeconds: Date.parse('2026-11-30T20:15:00+01:00') / 1000,
  closesAtSeconds: Date.parse('2026-11-30T22:00:00+01:00') / 1000,
  watchUrl: 'https://video.example/watch?a=1,2',
}
const NOW = Date.parse('2026-11-01T08:00:00.500Z') / 1000
const unfolded = (text: string) => text.replaceAll('\r\n ', '')

test('a calendar file has the event with UTC times', () => {
  expect(calendarFile(EVENT, NOW)).toBe(
    [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//viewer-auth//EN', 'BEGIN:VEVENT'],
      'UID:gold-20261130@login.example.com',
      ...['DTSTAMP:20261101T080000Z', 'DTSTART:20261130T191500Z', 'DTEND:20261130T210000Z', 'SUMMARY:Annual meeting'],
      ...['LOCATION:https://video.example/watch?a=1\\,2', 'URL:https://video.example/watch?a=1,2'],
      ...['END:VEVENT', 'END:VCALENDAR', ''],
    ].join('\r\n'),
  )
})

test('a later start moves the entry of a calendar, and an event of another day has an entry of its own', () => {
  const uidOf = (hours: number) =>
    /^UID:(.*)/m.exec(calendarFile({ ...EVENT, opensAtSeconds: EVENT.opensAtSeconds + hours * 3600 }, NOW))?.[1]
  expect(uidOf(2)).toBe(uidOf(0))
  expect(uidOf(24)).not.toBe(uidOf(0))
})

test('an event without an end or an address has neither', () => {
  expect(calendarFile({ ...EVENT, closesAtSeconds: null, watchUrl: null }, NOW)).not.toMatch(/DTEND|LOCATION|URL/)
})

test('a title cannot add a line, and its signs are escaped', () => {
  const file = calendarFile({ ...EVENT, title: 'a;b,c\\d\r\nATTENDEE:x\ny' }, NOW)
  expect(file).toContain('\r\nSUMMARY:a\\;b\\,c\\\\d\\nATTENDEE:x\\ny\r\n')
})

test.each(['ä'.repeat(200), '🎬'.repeat(60), 'x'.repeat(300), '会'.repeat(90)])(
  'no line of %s is longer than 75 bytes',
  (title) => {
    const file = calendarFile({ ...EVENT, title }, NOW)
    expect(Math.max(...file.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
    expect(unfolded(file)).toContain(`SUMMARY:${title}\r\n`)
  },
)
