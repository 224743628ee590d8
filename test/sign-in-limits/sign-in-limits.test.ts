import { expect, onTestFinished, test, vi } from 'vitest'
import { networkOf } from '../../src/sign-in-limits/keys.ts'
import { secondsLeft } from '../../src/sign-in-limits/limit-refusal.ts'
import { type OpenCounter, openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { parallelAttemptsContract } from './parallel-attempts-contract.ts'
import { type CountersUnderTest, signInLimitsContract } from './sign-in-limits-contract.ts'

const HOME = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'

function openMemory(): Promise<CountersUnderTest> {
  vi.useFakeTimers()
  return Promise.resolve({
    openCounter: openMemoryCounter,
    advance: (ms) => Promise.resolve(void (ms < 0 ? vi.setSystemTime(Date.now() + ms) : vi.advanceTimersByTime(ms))),
    close: () => void vi.useRealTimers(),
  })
}

signInLimitsContract('memory', openMemory)
parallelAttemptsContract('memory', openMemory)

async function failAt(limits: SignInLimits, username: string, address: string): Promise<void> {
  const admission = await limits.admit(username, address)
  if (admission.ok) await admission.attempt.failed()
}

test.each([
  ['198.51.100.7', '198.51.100.7', '198.51.100.8'],
  ['::ffff:198.51.100.7', '198.51.100.7', '198.51.100.8'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:3::1'],
  ['2001:0DB8:1:2::1', '2001:db8:1:2::5', '2001:db8:1:3::1'],
  ['2001:db8:1:2::1', '2001:db8:1:2::2', '2002:db8:1:2::1'],
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
  const counter = openMemoryCounter('test', 60, 3)
  for (const key of ['a', 'b', 'c']) await counter.penalty(key)
  await counter.penalty('a')
  await counter.set('d', 5, 60)
  const counts = await Promise.all(['a', 'b', 'c', 'd'].map((key) => counter.get(key)))
  expect(counts.map((count) => count?.consumedPoints ?? null)).toEqual([2, null, 1, 5])
  await counter.delete('a')
  await counter.penalty('e')
  expect(await counter.get('c')).not.toBeNull()
  for (const key of ['f', 'g']) await counter.penalty(key)
  const later = await Promise.all(['c', 'd', 'e', 'f', 'g'].map((key) => counter.get(key)))
  expect(later.map((count) => count?.consumedPoints ?? null)).toEqual([null, null, 1, 1, 1])
})

test.each([
  [-5, 1],
  [0, 1],
  [1000, 1],
  [1001, 2],
])('a refusal with %i ms left has a wait of %i s, so that no browser tries again at once', (msBeforeNext, seconds) => {
  expect(secondsLeft({ msBeforeNext })).toBe(seconds)
})

test('a count that gets points back keeps the others, and is never below zero', async () => {
  const counter = openMemoryCounter('test', 60)
  await counter.penalty('a', 3)
  await counter.giveBack('a', 2)
  expect((await counter.get('a'))?.consumedPoints).toBe(1)
  await counter.giveBack('a', 2)
  await counter.penalty('a')
  expect((await counter.get('a'))?.consumedPoints).toBe(1)
})

test('a success gives back the first failure of an address too', async () => {
  const limits = createSignInLimits(openMemoryCounter, { failures: 2, trustedNetworks: [] })
  await failAt(limits, 'ada', HOME)
  const admission = await limits.admit('ada', HOME)
  if (admission.ok) await admission.attempt.succeeded()
  await failAt(limits, 'bob', HOME)
  expect(await limits.admit('eve', HOME)).toMatchObject({ ok: true })
})

/** Opens memory counters that call `around` with each step, which must run the step. */
function countersWith(around: <T>(step: string, run: () => Promise<T>) => Promise<T>): OpenCounter {
  return (name, ...rest) => {
    const counter = openMemoryCounter(name, ...rest)
    return {
      get: (key) => around(`get ${name}`, () => counter.get(key)),
      set: (...of) => around(`set ${name}`, () => counter.set(...of)),
      penalty: (...of) => around(`penalty ${name}`, () => counter.penalty(...of)),
      delete: (key) => around(`delete ${name}`, () => counter.delete(key)),
      giveBack: (...of) => around(`giveBack ${name}`, () => counter.giveBack(...of)),
      take: (key) => around(`take ${name}`, () => counter.take(key)),
    }
  }
}

test('right and wrong passwords that a limit refuses take the same steps', async () => {
  const steps: string[] = []
  const noted = countersWith((step, run) => {
    steps.push(step)
    return run()
  })
  const limits = createSignInLimits(noted)
  const admissions = await Promise.all(['a', 'b', 'c'].map((username) => limits.admit(username, HOME)))
  for (let name = 0; name < 300; name += 1) await failAt(limits, `user${name}`, HOME)
  const stepsOf: string[][] = []
  for (const [index, outcome] of (['succeeded', 'denied', 'failed'] as const).entries()) {
    const admission = admissions[index]
    steps.length = 0
    if (admission?.ok) await admission.attempt[outcome]()
    stepsOf.push([...steps])
  }
  expect(stepsOf[0]).not.toEqual([])
  expect(stepsOf).toEqual([stepsOf[2], stepsOf[2], stepsOf[2]])
})

// src/redis/README.md says how long a slow Redis delays a sign-in.
test.each([
  ['a right password', 'succeeded'],
  ['a wrong password', 'failed'],
] as const)('a sign-in with %s waits for four replies of the counters, one after the other', async (_what, outcome) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const slow = countersWith(async (_step, run) => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return await run()
  })
  const startedAt = Date.now()
  let endedAt = 0
  const signIn = async () => {
    const admission = await createSignInLimits(slow).admit('ada', HOME)
    if (admission.ok) await admission.attempt[outcome]()
    endedAt = Date.now()
  }
  const done = signIn()
  await vi.advanceTimersByTimeAsync(20_000)
  await done
  expect(endedAt - startedAt).toBe(4_000)
})
