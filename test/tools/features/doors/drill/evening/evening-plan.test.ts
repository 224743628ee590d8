import { expect, test } from 'vitest'
import { eveningTimes, planEvening } from '../../../../../../src/tools/features/doors/drill/evening/evening-plan.ts'

const VIEWERS = Array.from({ length: 40 }, (_, index) => ({ username: `viewer-${index}`, password: 'x' }))

test.each([10_123, 600_000])('in an evening of %i ms, three of four viewers come before the opening', (overMs) => {
  const times = eveningTimes(overMs)
  expect(Object.values(times)).toEqual(Object.values(times).toSorted((a, b) => a - b))
  // The app needs up to two seconds to take the times.
  expect(times.firstOpeningMs - times.movesMs).toBeGreaterThanOrEqual(2_000)
  expect([times.firstOpeningMs, times.opensMs, times.closesMs].map((timeMs) => timeMs % 1000)).toEqual([0, 0, 0])
  const plan = planEvening(VIEWERS, times, { overMs, returnShare: 0.5, hasLimit: true })
  expect(plan.filter(({ arrivesAtMs }) => arrivesAtMs < times.opensMs)).toHaveLength(30)
  expect(plan.filter(({ arrivesAtMs }) => arrivesAtMs >= times.closesMs)).toEqual([])
  expect(plan.filter(({ returnsAfterMs }) => returnsAfterMs !== null).length).toBeGreaterThanOrEqual(14)
  expect(plan.filter(({ moreScreensAfterMs }) => moreScreensAfterMs !== null)).toHaveLength(8)
  const tries = plan.flatMap(({ afterEnd }) => afterEnd ?? [])
  expect(tries.map(({ how }) => how).toSorted()).toEqual([...Array(4).fill('session'), ...Array(4).fill('sign-in')])
  for (const { atMs } of tries) expect(atMs).toBeGreaterThanOrEqual(times.closesMs)
})
