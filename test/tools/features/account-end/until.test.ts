import { expect, test } from 'vitest'
import { endedState, readUntil } from '../../../../src/tools/features/account-end/until.ts'

test.each([
  ['2026-11-30', 'Europe/Berlin', '2026-11-30T23:59:59+01:00'],
  ['2026-11-30', 'UTC', '2026-11-30T23:59:59+00:00'],
  ['2026-12-31', 'America/New_York', '2026-12-31T23:59:59-05:00'],
  // The days on which the clocks change.
  ['2026-03-29', 'Europe/Berlin', '2026-03-29T23:59:59+02:00'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-25T23:59:59+01:00'],
  // Clocks that skip midnight after the day, or show the last hour of the day twice.
  ['2026-04-23', 'Africa/Cairo', '2026-04-23T23:59:59+02:00'],
  ['2026-10-29', 'Africa/Cairo', '2026-10-29T23:59:59+02:00'],
  ['2026-11-30 20:15', 'Europe/Berlin', '2026-11-30T20:15:00+01:00'],
  ['2026-11-30T20:15Z', 'Europe/Berlin', '2026-11-30T20:15:00Z'],
])('--until %s in %s is %s', (text, zone, expected) => {
  expect(readUntil('--until', text, zone)?.text).toBe(expected)
})

test('--until never is no end', () => {
  expect(readUntil('--until', 'never')).toBeNull()
})

test.each([
  ['2026-02-30', /is not a time\. Use 2026-11-30, .* or never/],
  ['30.11.2026', /is not a time/],
  ['tomorrow', /is not a time/],
  ['', /is not a time/],
  ['Never', /is not a time/],
  ['2026-03-29T02:30', /skip/],
  ['2026-10-25 02:30', /comes twice/],
])('--until %j is refused', (text, fault) => {
  expect(() => readUntil('--until', text, 'Europe/Berlin')).toThrow(fault)
})

test.each([
  [{}, null],
  [{ accountEndsAt: '2026-11-30T00:00:01Z' }, null],
  [{ accountEndsAt: '2026-11-30T00:00:00Z' }, 'ended'],
  [{ accountEndsAt: 'soon' }, 'end-unreadable'],
])('the attributes %j give the state %s', (attributes, expected) => {
  expect(endedState({ attributes }, Date.parse('2026-11-30T00:00Z') / 1000)).toBe(expected)
})
