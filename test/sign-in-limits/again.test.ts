import { expect, onTestFinished, test, vi } from 'vitest'
import { createAgain } from '../../src/sign-in-limits/again.ts'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'

/** Two copies of the app that share their counts. */
function start() {
  const shared = openMemoryCounter('forms', 10)
  const copies = ['one', 'other'].map(() => createAgain(() => shared, ['secret']))
  return { shared, one: copies[0] ?? expect.unreachable(), other: copies[1] ?? expect.unreachable() }
}
const done = () => Promise.resolve(true)
const refused = () => Promise.resolve(false)

test('the same form is worked on once, also while the work runs, and at another copy of the app', async () => {
  const { one, other } = start()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const work = vi.fn(() => promise)
  const all = [one(['a'], work), one(['a'], work), other(['a'], work)]
  await expect.poll(() => work.mock.calls).toHaveLength(1)
  resolve(true)
  expect(await Promise.all(all)).toEqual([true, true, true])
  expect([await other(['a'], work), work.mock.calls.length]).toEqual([true, 1])
})

test('a form is worked on again after ten seconds', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { one, other } = start()
  const work = vi.fn(done)
  await one(['a'], work)
  await vi.advanceTimersByTimeAsync(9_900)
  await other(['a'], work)
  expect(work).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(200)
  await other(['a'], work)
  expect(work).toHaveBeenCalledTimes(2)
})

test('another form, and a form that was refused or failed, is worked on again', async () => {
  const { one, other } = start()
  const work = vi.fn(done)
  expect(await one(['a'], refused)).toBe(false)
  await expect(one(['a'], () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect([await one(['a'], work), await other(['b'], work), work.mock.calls.length]).toEqual([true, true, 2])
})

test('a post that waits for a refused one is worked on itself', async () => {
  const { one, other } = start()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const first = one(['a'], () => promise)
  const second = other(['a'], refused)
  resolve(false)
  expect([await first, await second]).toEqual([false, false])
})

test('a form of a copy that stopped in the middle is worked on after ten seconds', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { one, other } = start()
  void one(['a'], () => new Promise(() => {}))
  const work = vi.fn(done)
  const second = other(['a'], work)
  await vi.advanceTimersByTimeAsync(9_000)
  expect(work).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1_500)
  expect([await second, work.mock.calls.length]).toEqual([true, 1])
})

test('the counts have keyed digests of forms', async () => {
  const keys: string[] = []
  const again = createAgain(
    (...given) => {
      const counter = openMemoryCounter(...given)
      return {
        ...counter,
        penalty(key, ...more) {
          keys.push(String(key))
          return counter.penalty(key, ...more)
        },
      }
    },
    ['secret'],
  )
  await again({ password: 'PASSWORDMARKER' }, done)
  expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
})
