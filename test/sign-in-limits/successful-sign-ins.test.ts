import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { createSignInLimits, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'

const HOME = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const REFUSED = { ok: false, limit: 'right-sign-ins', retryAfterSeconds: 600 }

let limits: SignInLimits
beforeEach(() => {
  vi.useFakeTimers()
  limits = createSignInLimits(openMemoryCounter)
})
afterEach(() => void vi.useRealTimers())

type Outcome = 'succeeded' | 'denied' | 'failed'

async function attempt(username: string, address: string, outcome: Outcome = 'succeeded') {
  const admission = await limits.admit(username, address)
  return admission.ok ? await admission.attempt[outcome]() : admission
}

async function signInTimes(times: number, username: string, address: string, outcome?: Outcome): Promise<void> {
  for (let time = 0; time < times; time += 1) expect(await attempt(username, address, outcome)).toBeNull()
}

test('one account from one address has 5,000 successful sign-ins in ten minutes', async () => {
  await signInTimes(5_000, 'ada', HOME)
  // Before the password is checked, so right and wrong passwords are refused alike.
  expect(await limits.admit('ada', HOME)).toEqual(REFUSED)
  await signInTimes(1, 'ada', ELSEWHERE)
  await signInTimes(1, 'bob', HOME)
  vi.advanceTimersByTime(600_000)
  await signInTimes(1, 'ada', HOME)
})

test('parallel sign-ins get no further than 5,000', async () => {
  await signInTimes(4_998, 'ada', HOME)
  const admissions = await Promise.all(Array.from({ length: 4 }, () => limits.admit('ada', HOME)))
  const answers = await Promise.all(admissions.map((one) => (one.ok ? one.attempt.succeeded() : one)))
  expect(answers).toEqual([null, null, REFUSED, REFUSED])
})

test('one account has 10,000 successful sign-ins in ten minutes from all addresses', async () => {
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await signInTimes(2_500, 'ada', address)
  expect(await attempt('ada', HOME)).toEqual(REFUSED)
  await signInTimes(1, 'bob', HOME)
})

test('wrong passwords use up no right sign-ins, so that an attacker cannot block an account', async () => {
  await signInTimes(4_990, 'ada', HOME)
  for (let guess = 0; guess < 90; guess += 1) await attempt('ada', `192.0.2.${guess}`, 'failed')
  for (let guess = 0; guess < 4; guess += 1) await attempt('ada', HOME, 'failed')
  await signInTimes(10, 'ada', HOME)
})

test('right passwords of a disabled viewer block the account at their address only', async () => {
  await signInTimes(5_000, 'ada', HOME, 'denied')
  expect(await attempt('ada', HOME, 'denied')).toEqual(REFUSED)
  await signInTimes(5_000, 'ada', ELSEWHERE)
})

test('the wait is no longer than ten minutes if the clock was set back', async () => {
  await signInTimes(5_000, 'ada', HOME)
  vi.setSystemTime(Date.now() - 30 * 86_400_000)
  expect(await limits.admit('ada', HOME)).toEqual(REFUSED)
})
