import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { signInRun } from '../sign-in-run.ts'

export interface Outage {
  readonly fail: () => Promise<unknown>
  readonly restore: () => Promise<unknown>
}

/**
 * Expects a store to survive an outage of its server during many sign-ins. Every sign-in in the outage must fail within
 * `inTimeMs`, and the same store must work again afterwards.
 * @returns the outcomes of the sign-ins during the outage.
 */
export async function expectSurvived(
  store: UserStore,
  { fail, restore }: Outage,
  { timeoutMs, inTimeMs }: { readonly timeoutMs: number; readonly inTimeMs: number },
) {
  const run = signInRun(store)
  const end = run.start()
  onTestFinished(end)
  let isRestored = false
  const restoreOnce = async () => {
    if (!isRestored) await restore()
    isRestored = true
  }
  // Runs also if an expectation fails: other tests need the server.
  onTestFinished(restoreOnce)
  await run.until('in')
  await fail()
  await run.until('away')
  // By then, earlier requests are over and the breaker has tried the server more than once.
  await sleep(timeoutMs)
  run.outcomes.length = 0
  await sleep(timeoutMs)
  const meanwhile = [...run.outcomes]
  expect(new Set(meanwhile.map(({ outcome }) => outcome))).toEqual(new Set(['away']))
  expect(run.longestMs()).toBeLessThan(inTimeMs)
  await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
  await restoreOnce()
  await run.recover()
  await end()
  expect(run.longestMs()).toBeLessThan(inTimeMs)
  await expect(store.checkHealth()).resolves.toBeUndefined()
  return meanwhile
}
