import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concurrencyOf } from '../../../../src/tools/cli/report/page/concurrency.ts'
import { createViewTable } from '../../../../src/tools/cli/report/page/view-table.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 86_400 * SECOND
const VIEW = {
  viewer: 'ada',
  device: 'phone',
  content: 'Channel 1',
  country: 'Hungary',
  city: 'Budapest',
  system: 'Linux',
  browser: 'Firefox',
  isMobile: false,
  isRunning: false,
}

/** @param spans the begin, the end and 1 for live (the default) or 0 for recorded. */
function partsOf(bordersMs: readonly number[], spans: readonly number[][]) {
  using database = new DatabaseSync('')
  const views = createViewTable(database)
  for (const [fromMs = 0, toMs = 0, live = 1] of spans) views.add({ ...VIEW, fromMs, toMs, layer: live === 1 ? 0 : 1 })
  return concurrencyOf(views.changes({ fromMs: bordersMs[0] ?? 0, toMs: bordersMs.at(-1) ?? 0 }), bordersMs)
}

test('the peak of a part is the highest number at once, with its time and its live share', () => {
  const spans = [
    [0, 30 * SECOND],
    [10 * SECOND, 20 * SECOND],
    [15 * SECOND, 80 * SECOND, 0],
    [70 * SECOND, 90 * SECOND],
  ]
  expect(partsOf([0, MINUTE, 2 * MINUTE], spans)).toMatchObject([
    { peak: { timeMs: 15 * SECOND, live: 2, recorded: 1 }, average: 85 / 60 },
    { peak: { timeMs: 70 * SECOND, live: 1, recorded: 1 }, average: 40 / 60 },
  ])
})

test('each minute has its arrivals, the most views at once, and its departures', () => {
  const spans = [
    [0, 90],
    [59, 61],
    [60, 200],
  ].map((span) => span.map((seconds) => seconds * SECOND))
  expect(partsOf([MINUTE, 2 * MINUTE, 3 * MINUTE, 4 * MINUTE], spans)).toMatchObject([
    { fromMs: MINUTE, arrivals: 1, peak: { live: 3 }, departures: 2 },
    { fromMs: 2 * MINUTE, arrivals: 0, peak: { live: 1 }, departures: 0 },
    { fromMs: 3 * MINUTE, arrivals: 0, peak: { live: 1 }, departures: 1 },
  ])
})

test.each([31, 365])('the peak of %d days is exact to the second', (days) => {
  const spans = [
    [DAY, DAY + 2 * SECOND],
    [DAY + SECOND, DAY + MINUTE],
    [DAY + MINUTE, DAY + MINUTE + SECOND],
  ]
  expect(partsOf([0, days * DAY], spans)).toMatchObject([{ peak: { timeMs: DAY + SECOND, live: 2 } }])
})

test('peaks agree with a count of the views that run at each second', () => {
  const seconds = fc.integer({ min: -20, max: 140 })
  const spans = fc.array(fc.tuple(seconds, fc.integer({ min: 0, max: 60 })), { maxLength: 30 })
  fc.assert(
    fc.property(spans, (given) => {
      const inside = given.map(([from, length]) => {
        const fromMs = Math.min(120, Math.max(0, from)) * SECOND
        return [fromMs, Math.min(120 * SECOND, fromMs + length * SECOND)]
      })
      const running = (atMs: number) => inside.filter(([fromMs = 0, toMs = 0]) => fromMs <= atMs && atMs < toMs).length
      const counted = [0, 1].map((minute) => {
        const numbers = Array.from({ length: 60 }, (_, second) => running(minute * MINUTE + second * SECOND))
        const most = Math.max(...numbers)
        return [most, minute * MINUTE + (most === 0 ? 0 : numbers.indexOf(most)) * SECOND]
      })
      const found = partsOf([0, MINUTE, 2 * MINUTE], inside)
      expect(found.map(({ peak }) => [peak.live, peak.timeMs])).toEqual(counted)
    }),
  )
})
