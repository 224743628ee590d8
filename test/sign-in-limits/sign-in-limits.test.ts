import { expect, test, vi } from 'vitest'
import { boundedCounter, type OpenCounter, openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits, networkOf, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { signInLimitsContract } from './sign-in-limits-contract.ts'

const HOME = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'

signInLimitsContract('memory', () => {
  vi.useFakeTimers()
  return Promise.resolve({
    openCounter: openMemoryCounter,
    advance: (ms) => Promise.resolve(void vi.advanceTimersByTime(ms)),
    close: () => void vi.useRealTimers(),
  })
})

async function failAt(limits: SignInLimits, username: string, address: string): Promise<void> {
  const admission = await limits.admit(username, address)
  if (admission.ok) await admission.attempt.failed()
}

test.each([
  ['198.51.100.7', '198.51.100.7', '198.51.100.8'],
  ['::ffff:198.51.100.7', '198.51.100.7', '198.51.100.8'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:3::1'],
  ['2001:0DB8:1:2::1', '2001:db8:1:2::5', '2001:db8:1:3::1'],
  ['unknown', 'unknown', 'other'],
  ['', '', 'x'],
])('the addresses %s and %s are one network, and %s is another', (first, second, other) => {
  expect(networkOf(first)).toBe(networkOf(second))
  expect(networkOf(first)).not.toBe(networkOf(other))
})

test('refused and abandoned attempts take no memory', async () => {
  const keys = new Set<string>()
  const watched: OpenCounter = (name, durationSeconds) => {
    const counter = openMemoryCounter(name, durationSeconds)
    return {
      ...counter,
      penalty: (key, ...rest) => {
        keys.add(`${name} ${key}`)
        return counter.penalty(key, ...rest)
      },
      delete: (key) => {
        keys.delete(`${name} ${key}`)
        return counter.delete(key)
      },
      giveBack: async (key, points) => {
        await counter.giveBack(key, points)
        if ((await counter.get(key)) === null) keys.delete(`${name} ${key}`)
      },
    }
  }
  const limits = createSignInLimits(watched)
  for (let name = 0; name < 300; name += 1) await failAt(limits, `user${name}`, HOME)
  const before = keys.size
  for (let name = 0; name < 1000; name += 1) await failAt(limits, `other${name}`, HOME)
  for (let name = 0; name < 1000; name += 1) {
    const admission = await limits.admit(`third${name}`, ELSEWHERE)
    if (admission.ok) await admission.attempt.abandoned()
  }
  expect(keys.size).toBe(before)
})

test('memory is bounded: the least recently used counts are dropped first', async () => {
  const counter = boundedCounter('test', 60, 3)
  for (const key of ['a', 'b', 'c']) await counter.penalty(key)
  await counter.penalty('a')
  await counter.set('d', 5, 60)
  const counts = await Promise.all(['a', 'b', 'c', 'd'].map((key) => counter.get(key)))
  expect(counts.map((count) => count?.consumedPoints ?? null)).toEqual([2, null, 1, 5])
  await counter.delete('a')
  await counter.penalty('e')
  expect(await counter.get('c')).not.toBeNull()
})
