import { expect, test } from 'vitest'
import { readTime } from '../../../../src/tools/cli/output/local-time.ts'

const at = (text: string) => Date.parse(text) / 1000
const EVENING = at('2026-11-27T19:00Z')

test.each([
  ['20:15', 'Europe/Berlin', EVENING, '2026-11-27T19:15Z'],
  ['20:15', '+01:00', EVENING, '2026-11-27T19:15Z'],
  ['20:15', 'UTC', EVENING, '2026-11-27T20:15Z'],
  // The day in the zone of the doors, not in UTC.
  ['04:15', 'Asia/Tokyo', EVENING, '2026-11-27T19:15Z'],
  ['2026-11-28T20:15', 'Europe/Berlin', EVENING, '2026-11-28T19:15Z'],
  ['2026-11-28 20:15', 'Europe/Berlin', EVENING, '2026-11-28T19:15Z'],
  ['2026-11-28T20:15-05:00', 'Europe/Berlin', EVENING, '2026-11-29T01:15Z'],
  // The days on which the clocks change, before and after.
  ['2026-03-29T01:59', 'Europe/Berlin', EVENING, '2026-03-29T00:59Z'],
  ['2026-03-29T03:00', 'Europe/Berlin', EVENING, '2026-03-29T01:00Z'],
  ['2026-10-25T01:59', 'Europe/Berlin', EVENING, '2026-10-24T23:59Z'],
  ['2026-10-25T03:00', 'Europe/Berlin', EVENING, '2026-10-25T02:00Z'],
  ['2026-10-25T02:30+01:00', 'Europe/Berlin', EVENING, '2026-10-25T01:30Z'],
])('%s in %s is the right time', (text, zone, daySeconds, utc) => {
  expect(readTime('--opens', text, zone, daySeconds)).toBe(at(utc))
})

test.each([
  ['2026-03-29T02:30', 'Europe/Berlin', /clocks of Europe\/Berlin skip .* Choose another time/],
  ['2026-10-25T02:30', 'Europe/Berlin', /comes twice .* Use 2026-10-25T02:30:00\+02:00 or 2026-10-25T02:30:00\+01:00/],
  // By half an hour.
  ['2026-10-04T02:15', 'Australia/Lord_Howe', /skip/],
  ['2026-04-05T01:45', 'Australia/Lord_Howe', /T01:45:00\+11:00 or 2026-04-05T01:45:00\+10:30/],
  ['25:00', 'UTC', /is not a time/],
  ['2026-02-30T20:15', 'UTC', /is not a time/],
  ['quarter past eight', 'UTC', /is not a time/],
])('%s in %s is refused', (text, zone, fault) => {
  expect(() => readTime('--opens', text, zone, EVENING)).toThrow(fault)
})
