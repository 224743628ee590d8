import { expect, test } from 'vitest'
import { LANGUAGES } from '../../src/languages/languages.ts'
import { isTimeZone, parseTime, timeText } from '../../src/settings/times.ts'

const at = (text: string) => Date.parse(text) / 1000

test.each([
  ['2026-11-27T20:00+01:00', '2026-11-27T19:00:00Z', '+01:00'],
  ['2026-11-27T20:00:30Z', '2026-11-27T20:00:30Z', 'UTC'],
  ['2026-11-27T20:00-00:00', '2026-11-27T20:00:00Z', 'UTC'],
  // The hour that comes twice when the clocks are put back: the offset says which.
  ['2026-10-25T02:30+02:00', '2026-10-25T00:30:00Z', '+02:00'],
  ['2026-10-25T02:30+01:00', '2026-10-25T01:30:00Z', '+01:00'],
  ['2028-02-29T00:00+14:00', '2028-02-28T10:00:00Z', '+14:00'],
])('the time %s is %s', (text, utc, zone) => {
  expect(parseTime(text)).toEqual({ seconds: at(utc), zone, text })
})

test.each([
  '2026-11-27T20:00',
  '2026-11-27',
  '20:15',
  '2026-11-27 20:00+01:00',
  '2026-02-30T20:00Z',
  '2026-11-27T24:00Z',
  '2026-11-27T20:61Z',
  '2026-11-27T20:00+25:00',
  '2026-11-27T20:00 Europe/Berlin',
  '1764270000',
  '',
])('the text %j is not a time with a zone', (text) => {
  expect(parseTime(text)).toBeNull()
})

test.each([
  ['en', 'Europe/Berlin', '2026-11-27T19:00Z', 'Friday, November 27, 2026 at 8:00 PM GMT+1'],
  ['de', 'Europe/Berlin', '2026-11-27T19:00Z', 'Freitag, 27. November 2026 um 20:00 MEZ'],
  ['de', '+01:00', '2026-11-27T19:00Z', 'Freitag, 27. November 2026 um 20:00 GMT+1'],
  // Both hours at which the clocks of Berlin show 2:30.
  ['de', 'Europe/Berlin', '2026-10-25T00:30Z', 'Sonntag, 25. Oktober 2026 um 02:30 MESZ'],
  ['de', 'Europe/Berlin', '2026-10-25T01:30Z', 'Sonntag, 25. Oktober 2026 um 02:30 MEZ'],
  ['ja', 'Asia/Tokyo', '2026-11-27T19:00Z', '2026年11月28日土曜日 4:00 JST'],
])('a viewer who reads %s sees in %s the time %s as %s', (language, zone, time, expected) => {
  expect(timeText(language, at(time), zone)).toBe(expected)
})

test.each(LANGUAGES)('a time in %s names the day of the month, the year, the minute and the zone', (language) => {
  const text = timeText(language, at('2026-11-27T19:05Z'), 'UTC')
  for (const part of ['27', '2026', '05', 'UTC']) expect(text).toContain(part)
})

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['+05:30', true],
  ['Mars/Phobos', false],
  ['', false],
])('isTimeZone(%j) is %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected)
})
