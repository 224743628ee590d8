import { describe, expect, test } from 'vitest'
import {
  bucketAround,
  openTimeWriter,
  readTimeParameter,
} from '../../../../src/tools/emulator/analytics/reports/report-times.ts'

// Moments computed by GNU date: TZ=America/Los_Angeles date -d '2026-03-08 01:59:59' +%s
describe('a time parameter', () => {
  test.each([
    ['with Z', '2026-03-08T09:59:59Z', 1_772_963_999, '+00:00'],
    ['with an offset', '2026-03-08T10:59:59+01:00', 1_772_963_999, '+01:00'],
    ['with an offset whose plus became a space', '2026-03-08T10:59:59 01:00', 1_772_963_999, '+01:00'],
    ['with a negative offset', '2026-03-08T06:29:59-03:30', 1_772_963_999, '-03:30'],
    ['with +00:00', '2026-03-08T09:59:59+00:00', 1_772_963_999, '+00:00'],
    ['without an offset, in winter', '2026-03-08T01:59:59', 1_772_963_999, 'America/Los_Angeles'],
    ['without an offset, in the skipped hour', '2026-03-08T02:30:00', 1_772_965_800, 'America/Los_Angeles'],
    ['without an offset, after it', '2026-03-08T03:30:00', 1_772_965_800, 'America/Los_Angeles'],
    ['without an offset, in summer', '2026-07-01T12:00:00', 1_782_932_400, 'America/Los_Angeles'],
    ['without an offset, in the repeated hour', '2026-11-01T01:30:00', 1_793_521_800, 'America/Los_Angeles'],
    ['without an offset, after it', '2026-11-01T02:00:00', 1_793_527_200, 'America/Los_Angeles'],
    ['on a leap day', '2028-02-29T00:00:00Z', 1_835_395_200, '+00:00'],
  ])('a time parameter %s is read', (_case, text, seconds, timeZone) => {
    expect(readTimeParameter(text)).toEqual({ seconds, timeZone })
  })
})

describe('a time in an answer', () => {
  test.each([
    ['+00:00', 1_772_963_999, '2026-03-08T09:59:59+00:00'],
    ['+05:45', 1_772_963_999, '2026-03-08T15:44:59+05:45'],
    ['-03:30', 1_772_963_999, '2026-03-08T06:29:59-03:30'],
    ['America/Los_Angeles', 1_772_963_999, '2026-03-08T01:59:59-08:00'],
    ['America/Los_Angeles', 1_772_964_000, '2026-03-08T03:00:00-07:00'],
    ['America/Los_Angeles', 1_793_525_399, '2026-11-01T01:29:59-08:00'],
    ['America/Los_Angeles', 1_793_521_799, '2026-11-01T01:29:59-07:00'],
  ])('the time in zone %s of %d is %s', (timeZone, seconds, text) => {
    expect(openTimeWriter(timeZone)(seconds)).toBe(text)
  })
})

describe('a bucket', () => {
  const hours = ({ startSeconds, endSeconds }: { startSeconds: number; endSeconds: number }) =>
    (endSeconds - startSeconds) / 3_600
  test.each([
    ['a day', '2026-03-08T12:00:00-07:00', 'day', 23],
    ['a day', '2026-11-01T12:00:00-08:00', 'day', 25],
    ['a day', '2026-07-01T12:00:00-07:00', 'day', 24],
    ['an hour', '2026-11-01T01:30:00-07:00', 'hour', 1],
    ['a month', '2026-03-15T00:00:00-07:00', 'month', 31 * 24 - 1],
  ] as const)('a bucket of %s around %s in Los Angeles (%s) is %d hours long', (_name, time, unit, length) => {
    expect(hours(bucketAround(Date.parse(time) / 1000, unit, 'America/Los_Angeles'))).toBe(length)
  })
  test('a bucket of an hour starts at the full hour of an offset of 5:45', () => {
    const { startSeconds } = bucketAround(Date.parse('2026-03-08T15:44:59+05:45') / 1000, 'hour', '+05:45')
    expect(openTimeWriter('+05:45')(startSeconds)).toBe('2026-03-08T15:00:00+05:45')
  })
})
