import { expect, test } from 'vitest'
import { createWaitingCount, reloadSeconds } from '../../../../src/features/doors/waiting/reload-time.ts'

const ALMOST_ONE = 1 - Number.EPSILON

test.each([
  [3600, 0, 20, 30],
  [30.1, 50_000, 20, 30],
  [30, 0, 30, 31],
  [10, 2_500, 10, 11],
  [10, 20_000, 10, 18],
  [10, 50_000, 10, 30],
  [10, 1_000_000, 10, 30],
  [0.2, 0, 1, 2],
  [-5, 0, 1, 1],
])('%d s before the opening, with %i viewers, a page loads again after %i to %i s', (before, viewers, least, most) => {
  expect([reloadSeconds(before, viewers, 0), reloadSeconds(before, viewers, ALMOST_ONE)]).toEqual([least, most])
})

test('no page loads again before the opening', () => {
  for (let before = 0.1; before < 30; before += 0.1) expect(reloadSeconds(before, 0)).toBeGreaterThanOrEqual(before)
})

test('the count has the pages of the last 25 s', () => {
  let seconds = 1_000
  const count = createWaitingCount(() => seconds)
  for (; seconds < 1_100; seconds += 0.5) count.add()
  expect(count.viewers()).toBe(48)
  seconds = 1_110
  expect(count.viewers()).toBe(28)
  seconds = 2_000
  expect(count.viewers()).toBe(0)
  seconds = 500
  expect(count.viewers()).toBe(0)
})
