import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../../../src/errors.ts'
import { readOpenPeriod, readPeriod } from '../../../../src/tools/cli/output/period.ts'

const NEW_YORK = 'America/New_York'
/** 2026-11-20T15:00:00Z, in the winter of New York. */
const NOW = Date.UTC(2026, 10, 20, 15) / 1000

describe('the period of a report', () => {
  test.each([
    [{}, '2026-11-13T10:00:00-05:00', '2026-11-20T10:00:00-05:00'],
    [{ last: '15m' }, '2026-11-20T09:45:00-05:00', '2026-11-20T10:00:00-05:00'],
    [{ last: '24h' }, '2026-11-19T10:00:00-05:00', '2026-11-20T10:00:00-05:00'],
    // Clocks were put back on 1 November.
    [{ last: '4w' }, '2026-10-23T10:00:00-04:00', '2026-11-20T10:00:00-05:00'],
    [{ last: '24h', to: '2026-11-01' }, '2026-11-01T01:00:00-04:00', '2026-11-01T23:59:59-05:00'],
    [{ last: '1d', to: '2026-11-01' }, '2026-11-01T00:00:00-04:00', '2026-11-01T23:59:59-05:00'],
    [{ last: '1d', to: '2026-11-10' }, '2026-11-10T00:00:00-05:00', '2026-11-10T23:59:59-05:00'],
    [{ from: '2026-11-01', to: '2026-11-01' }, '2026-11-01T00:00:00-04:00', '2026-11-01T23:59:59-05:00'],
    [{ from: '2026-12-31', to: '2026-12-31' }, '2026-12-31T00:00:00-05:00', '2026-12-31T23:59:59-05:00'],
    [{ from: '2026-07-01T18:00', to: '2026-07-01 20:30:15' }, '2026-07-01T18:00:00-04:00', '2026-07-01T20:30:15-04:00'],
    [{ from: '2026-07-01T18:00', to: '2026-07-01T18:00' }, '2026-07-01T18:00:00-04:00', '2026-07-01T18:00:00-04:00'],
    [{ from: '2026-11-20T10:00:00+05:30' }, '2026-11-19T23:30:00-05:00', '2026-11-20T10:00:00-05:00'],
    [{ from: '2026-11-20T10:00Z' }, '2026-11-20T05:00:00-05:00', '2026-11-20T10:00:00-05:00'],
  ])('the options %j give the period from %s to %s', (options, from, to) => {
    expect(readPeriod(options, NOW, NEW_YORK)).toEqual({ from, to })
  })

  test.each([
    ['America/Havana', '2026-03-08', '2026-03-08T01:00:00-04:00', '2026-03-08T23:59:59-04:00'],
    ['America/Havana', '2026-11-01', '2026-11-01T00:00:00-04:00', '2026-11-01T23:59:59-05:00'],
    ['Asia/Beirut', '2026-03-29', '2026-03-29T01:00:00+03:00', '2026-03-29T23:59:59+03:00'],
    ['Asia/Beirut', '2026-10-24', '2026-10-24T00:00:00+03:00', '2026-10-24T23:59:59+02:00'],
    ['Asia/Kolkata', '2026-10-25', '2026-10-25T00:00:00+05:30', '2026-10-25T23:59:59+05:30'],
    ['Australia/Lord_Howe', '2026-10-04', '2026-10-04T00:00:00+10:30', '2026-10-04T23:59:59+11:00'],
  ])('in %s the day %s is from %s to %s', (zone, day, from, to) => {
    expect(readPeriod({ from: day, to: day }, NOW, zone)).toEqual({ from, to })
  })

  test.each([
    [{}, undefined],
    [{ from: '2026-11-01' }, { from: '2026-11-01T00:00:00-04:00' }],
    [{ to: '2026-11-01' }, { to: '2026-11-01T23:59:59-05:00' }],
    [{ last: '1h' }, { from: '2026-11-20T09:00:00-05:00', to: '2026-11-20T10:00:00-05:00' }],
  ])('a period that can be open has, for the options %j, the ends %j', (options, period) => {
    expect(readOpenPeriod(options, NOW, NEW_YORK)).toEqual(period)
  })

  test.each([
    [{ last: '7' }, '--last'],
    [{ last: '0d' }, '--last'],
    [{ last: '7d', from: '2026-11-01' }, 'not both'],
    [{ from: '2026-02-30' }, '--from'],
    [{ from: '2026-11-01T24:10' }, '--from'],
    [{ from: '2026-11-01T24:00' }, '--from'],
    [{ from: 'yesterday' }, '--from'],
    [{ from: '0026-11-20' }, '--from'],
    [{ from: '2026-11-01T10:00:00+0100' }, '--from'],
    [{ from: '2026-13-01T10:00:00Z' }, '--from'],
    [{ from: '2026-11-21' }, 'ends before it starts'],
    [{ from: '2026-11-02', to: '2026-11-01' }, 'ends before it starts'],
  ])('the options %j are refused', (options, said) => {
    expect(() => readPeriod(options, NOW, NEW_YORK)).toThrow(ConfigError)
    expect(() => readPeriod(options, NOW, NEW_YORK)).toThrow(said)
  })
})
