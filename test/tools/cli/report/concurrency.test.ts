import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createConcurrency } from '../../../../src/tools/cli/report/page/concurrency.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 86_400 * SECOND

function peaksOf(range: { fromMs: number; toMs: number }, bordersMs: readonly number[], spans: readonly number[][]) {
  const concurrency = createConcurrency(range)
  for (const [fromMs = 0, toMs = 0, live = 1] of spans) concurrency.add({ fromMs, toMs, layer: live === 1 ? 0 : 1 })
  return concurrency.highest(bordersMs)
}

test('the peak of a part is the highest number at once, with its time and its live share', () => {
  const range = { fromMs: 0, toMs: 2 * MINUTE }
  const spans = [
    [0, 30 * SECOND],
    [10 * SECOND, 20 * SECOND],
    [15 * SECOND, 80 * SECOND, 0],
    [70 * SECOND, 90 * SECOND],
  ]
  expect(peaksOf(range, [0, MINUTE, 2 * MINUTE], spans)).toEqual([
    { timeMs: 15 * SECOND, live: 2, recorded: 1 },
    { timeMs: 70 * SECOND, live: 1, recorded: 1 },
  ])
})

test('each minute has its arrivals, the most views at once, and its departures', () => {
  const concurrency = createConcurrency({ fromMs: 0, toMs: DAY })
  for (const [from = 0, to = 0] of [
    [0, 90],
    [59, 61],
    [60, 200],
  ])
    concurrency.add({ fromMs: from * SECOND, toMs: to * SECOND, layer: 0 })
  expect(concurrency.minutesOf({ fromMs: MINUTE, toMs: 4 * MINUTE })).toEqual([
    { fromMs: MINUTE, arrivals: 1, atOnce: 3, departures: 2 },
    { fromMs: 2 * MINUTE, arrivals: 0, atOnce: 1, departures: 0 },
    { fromMs: 3 * MINUTE, arrivals: 0, atOnce: 1, departures: 1 },
  ])
})

test('the peak of a month is exact to the second, and that of a year close', () => {
  const spans = [
    [DAY, DAY + 2 * SECOND],
    [DAY + SECOND, DAY + MINUTE],
  ]
  expect(peaksOf({ fromMs: 0, toMs: 31 * DAY }, [0, 31 * DAY], spans)).toMatchObject([{ live: 2 }])
  expect(peaksOf({ fromMs: 0, toMs: 365 * DAY }, [0, 365 * DAY], spans)).toMatchObject([{ live: 1 }])
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
      const counted = [0, 1].map((minute) =>
        Math.max(
          ...Array.from({ length: 60 }, (_, second) => {
            const atMs = minute * MINUTE + second * SECOND
            return inside.filter(([fromMs = 0, toMs = 0]) => fromMs <= atMs && atMs < toMs).length
          }),
        ),
      )
      const found = peaksOf({ fromMs: 0, toMs: 2 * MINUTE }, [0, MINUTE, 2 * MINUTE], inside)
      expect(found.map(({ live }) => live)).toEqual(counted)
    }),
  )
})
