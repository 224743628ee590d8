import { afterEach, expect, test, vi } from 'vitest'
import { createRepeatFilter, type RepeatSum } from '../../../src/server/log/repeat-filter.ts'

afterEach(() => void vi.useRealTimers())

function sumsOf(mostLines?: number) {
  vi.useFakeTimers()
  const written: RepeatSum[] = []
  const repeatFilter = createRepeatFilter(60_000, mostLines)
  const kind = { key: 'refused', writeSum: (sum: RepeatSum) => void written.push(sum) }
  return {
    repeatFilter,
    written,
    isNew: (network?: string, detail?: string) => repeatFilter.isNew(kind, network, detail),
  }
}

test('equal lines are written once a minute, and the others are counted for each network', () => {
  const { isNew, written } = sumsOf()
  expect(['a', 'a', 'b', 'a'].map((network) => isNew(network))).toEqual([true, false, true, false])
  vi.advanceTimersByTime(60_000)
  expect(written).toEqual([{ more: 2, address: 'a' }])
  expect(isNew('a')).toBe(true)
  vi.advanceTimersByTime(60_000)
  expect(written).toHaveLength(1)
})

test('lines of one network that differ are written up to a limit', () => {
  const { isNew, written, repeatFilter } = sumsOf()
  const details = Array.from({ length: 1000 }, (_, number) => String(number))
  expect(details.filter((detail) => isNew('a', detail))).toHaveLength(100)
  expect(isNew('b', '0')).toBe(true)
  repeatFilter.end()
  expect(written).toEqual([{ more: 900, address: 'a' }])
})

test('after too many lines in a minute, only sums are written, and new networks share one', () => {
  const { isNew, written, repeatFilter } = sumsOf(50)
  const networks = Array.from({ length: 80 }, (_, number) => String(number))
  expect(networks.filter((network) => isNew(network))).toHaveLength(50)
  expect(isNew('0')).toBe(false)
  repeatFilter.end()
  expect(written).toEqual([
    { more: 1, address: '0' },
    { more: 30, address: 'others' },
  ])
})

test('a fault of the app has a sum without a network', () => {
  const { isNew, written, repeatFilter } = sumsOf()
  expect([isNew(), isNew(), isNew()]).toEqual([true, false, false])
  repeatFilter.end()
  expect(written).toEqual([{ more: 2 }])
})

test('too many lines of clients in a minute do not keep a fault of the app out of the log', () => {
  const { isNew, written, repeatFilter } = sumsOf(50)
  for (let network = 0; network < 80; network += 1) isNew(String(network))
  expect([isNew(), isNew()]).toEqual([true, false])
  repeatFilter.end()
  expect(written).toEqual([{ more: 30, address: 'others' }, { more: 1 }])
})
