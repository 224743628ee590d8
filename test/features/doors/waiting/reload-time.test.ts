import { expect, test } from 'vitest'
import { createWaitingCount, reloadSeconds } from '../../../../src/features/doors/waiting/reload-time.ts'

const ALMOST_ONE = 1 - Number.EPSILON

test.each([
  [3600, 0, 20, 30],
  [3600, 11_000, 20, 30],
  [3600, 22_000, 40, 60],
  [3600, 1_000_000, 48, 72],
  [30.1, 0, 20, 30],
  [72, 50_000, 72, 92],
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

test('a viewer counts until the page is due to load again', () => {
  let seconds = 1_000
  const count = createWaitingCount(() => seconds)
  for (; seconds < 1_100; seconds += 0.5) count.add(`page ${seconds}`, 25)
  expect(count.viewers()).toBe(50)
  seconds = 1_110
  expect(count.viewers()).toBe(30)
  seconds = 2_000
  expect(count.viewers()).toBe(0)
})

test('a page that one viewer loads 30,000 times counts once, and leaves with its last reload', () => {
  let seconds = 1_000
  const count = createWaitingCount(() => seconds)
  count.add('other', 60)
  for (; seconds < 1_030; seconds += 0.001) count.add('page', 25)
  expect(count.viewers()).toBe(2)
  seconds = 1_056
  expect(count.viewers()).toBe(1)
})

test('a clock that is set back by a day leaves no page in the count', () => {
  let seconds = 100_000
  const count = createWaitingCount(() => seconds)
  for (let page = 0; page < 50_000; page += 1) count.add(`page ${page}`, reloadSeconds(3600, count.viewers()))
  seconds -= 86_400
  expect(count.viewers()).toBe(0)
})

test.each([1_000, 20_000, 26_000])('%i viewers whose pages reload on time are counted once each', (viewers) => {
  let seconds = 0
  const count = createWaitingCount(() => seconds)
  const dueAt = Array.from({ length: viewers }, (_, index) => (25 * index) / viewers)
  for (; seconds < 600; seconds += 1) {
    dueAt.forEach((due, index) => {
      if (due >= seconds + 1) return
      const reload = reloadSeconds(3600, count.viewers(), ((index * 7) % 11) / 11)
      count.add(`page ${index}`, reload)
      dueAt[index] = seconds + reload
    })
  }
  expect(count.viewers() / viewers).toBeCloseTo(1, 1)
})
