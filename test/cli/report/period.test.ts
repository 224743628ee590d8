import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPeriod } from '../../../src/cli/report/period.ts'
import { ConfigError } from '../../../src/errors.ts'

const zone = process.env.TZ
beforeAll(() => {
  process.env.TZ = 'America/New_York'
})
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

/** 2026-11-20T15:00:00Z, in the winter of New York. */
const NOW = Date.UTC(2026, 10, 20, 15) / 1000

describe('the period of a report', () => {
  test.each([
    [{}, '2026-11-13T10:00:00-05:00', '2026-11-20T10:00:00-05:00'],
    [{ last: '24h' }, '2026-11-19T10:00:00-05:00', '2026-11-20T10:00:00-05:00'],
    // Clocks were put back on 1 November.
    [{ last: '4w' }, '2026-10-23T11:00:00-04:00', '2026-11-20T10:00:00-05:00'],
    [{ last: '1d', to: '2026-11-10' }, '2026-11-10T00:00:00-05:00', '2026-11-11T00:00:00-05:00'],
    [{ from: '2026-11-01', to: '2026-11-01' }, '2026-11-01T00:00:00-04:00', '2026-11-02T00:00:00-05:00'],
    [{ from: '2026-12-31', to: '2026-12-31' }, '2026-12-31T00:00:00-05:00', '2027-01-01T00:00:00-05:00'],
    [{ from: '2026-07-01T18:00', to: '2026-07-01 20:30:15' }, '2026-07-01T18:00:00-04:00', '2026-07-01T20:30:15-04:00'],
    [{ from: '2026-11-20T10:00:00+05:30' }, '2026-11-19T23:30:00-05:00', '2026-11-20T10:00:00-05:00'],
    [{ from: '2026-11-20T10:00Z' }, '2026-11-20T05:00:00-05:00', '2026-11-20T10:00:00-05:00'],
  ])('the options %j give the period from %s to %s', (options, from, to) => {
    expect(readPeriod(options, NOW)).toEqual({ from, to })
  })

  test.each([
    [{ last: '7' }, '--last'],
    [{ last: '0d' }, '--last'],
    [{ last: '7d', from: '2026-11-01' }, 'not both'],
    [{ from: '2026-02-30' }, '--from'],
    [{ from: '2026-11-01T24:10' }, '--from'],
    [{ from: 'yesterday' }, '--from'],
    [{ from: '0026-11-20' }, '--from'],
    [{ from: '2026-11-01T10:00:00+0100' }, '--from'],
    [{ from: '2026-13-01T10:00:00Z' }, '--from'],
    [{ from: '2026-11-21' }, 'ends before it starts'],
    [{ from: '2026-11-02', to: '2026-11-01' }, 'ends before it starts'],
  ])('the options %j are refused', (options, said) => {
    expect(() => readPeriod(options, NOW)).toThrow(ConfigError)
    expect(() => readPeriod(options, NOW)).toThrow(said)
  })
})
