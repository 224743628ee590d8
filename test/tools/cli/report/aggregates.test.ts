import { describe, expect, test } from 'vitest'
import { timeBuckets } from '../../../../src/tools/cli/output/time-buckets.ts'
import { localIso } from '../../../../src/tools/cli/output/time-zone.ts'

describe('time buckets', () => {
  const budapest = 'Europe/Budapest'

  test.each([
    ['an hour', '2026-11-20T18:00:00+01:00', '2026-11-20T19:00:00+01:00', 'minute', 61],
    ['a day', '2026-11-20T00:00:00+01:00', '2026-11-21T00:00:00+01:00', '10 minutes', 145],
    ['a week', '2026-11-13T03:20:00+01:00', '2026-11-20T03:20:00+01:00', 'hour', 170],
    ['a year', '2026-01-01T00:00:00+01:00', '2027-01-01T00:00:00+01:00', '7 days', 54],
    ['a century', '2000-01-01T00:00:00+01:00', '2100-01-01T00:00:00+01:00', '364 days', 102],
    ['a second', '2026-11-20T18:00:00+01:00', '2026-11-20T18:00:01+01:00', 'minute', 2],
  ])('the buckets of %s are round and at most 180', (_name, from, to, words, borders) => {
    const range = { fromMs: Date.parse(from), toMs: Date.parse(to) }
    const { bordersMs, lengthWords } = timeBuckets(range, budapest)
    expect([lengthWords, bordersMs.length]).toEqual([words, borders])
    expect([bordersMs[0], bordersMs.at(-1)]).toEqual([range.fromMs, range.toMs])
    expect(bordersMs.toSorted((a, b) => a - b)).toEqual([...new Set(bordersMs)])
  })

  test.each([
    ['Europe/Budapest', '2026-08-01', '2026-12-01', [0]],
    ['Europe/Budapest', '2026-10-10', '2026-11-10', [0, 6, 12, 18]],
    ['Australia/Lord_Howe', '2026-03-20', '2026-04-20', [0, 6, 12, 18]],
    // The first day starts at 01:00.
    ['America/Havana', '2026-03-08', '2026-07-08', [0]],
  ])(
    'buckets in %s from %s to %s start at full hours %j, also after a change of the clocks',
    (name, from, to, hours) => {
      const zone = name
      const { bordersMs } = timeBuckets(
        { fromMs: Date.parse(`${from}T05:00Z`), toMs: Date.parse(`${to}T10:00Z`) },
        zone,
      )
      const inside = bordersMs.slice(1, -1)
      expect(inside.length).toBeGreaterThan(100)
      const local = inside.map((timeMs) => localIso(timeMs, zone).slice(11, 16))
      expect(new Set(local)).toEqual(new Set(hours.map((hour) => `${String(hour).padStart(2, '0')}:00`)))
    },
  )

  test.each([
    ['back', '2026-04-05T00:00:00+11:00', ['00:00', '01:00', '01:30', '02:00', '03:00', '04:00']],
    ['forward', '2026-10-04T00:00:00+10:30', ['00:00', '01:00', '02:30', '03:00', '04:00', '05:00']],
  ])('hours are local hours after the clocks of Lord Howe are put %s by half an hour', (_way, from, hours) => {
    const zone = 'Australia/Lord_Howe'
    const fromMs = Date.parse(from)
    const { bordersMs } = timeBuckets({ fromMs, toMs: fromMs + 86_400_000 }, zone, { leastMs: 3_600_000 })
    const local = bordersMs.map((timeMs) => localIso(timeMs, zone).slice(11, 16))
    expect(local.slice(0, 6)).toEqual(hours)
  })
})
