import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { signInRun } from '../sign-in-run.ts'

export interface Outage {
  readonly fail: () => Promise<unknown>
  readonly mend: () => Promise<unknown>
}

/**
 * Takes the server away in the middle of a run of sign-ins, and gives it back: meanwhile everybody is told in time that
 * it is away and nobody gets in, and afterwards the same store serves again.
 * @returns what sign-ins came to while the server was away.
 */
export async function expectSurvived(
  store: UserStore,
  { fail, mend }: Outage,
  { timeoutMs, inTimeMs }: { readonly timeoutMs: number; readonly inTimeMs: number },
) {
  const run = signInRun(store)
  const end = run.start()
  onTestFinished(end)
  let isMended = false
  const mendOnce = async () => {
    if (!isMended) await mend()
    isMended = true
  }
  // Also where an expectation fails: every other test needs the server.
  onTestFinished(mendOnce)
  await run.until('in')
  await fail()
  await run.until('away')
  // What had been asked before is over by then, and the breaker has tried the server more than once.
  await sleep(timeoutMs)
  run.outcomes.length = 0
  await sleep(timeoutMs)
  const meanwhile = [...run.outcomes]
  expect(new Set(meanwhile.map(({ outcome }) => outcome))).toEqual(new Set(['away']))
  expect(run.longestMs()).toBeLessThan(inTimeMs)
  await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
  await mendOnce()
  await run.recover()
  await end()
  expect(run.longestMs()).toBeLessThan(inTimeMs)
  await expect(store.checkHealth()).resolves.toBeUndefined()
  return meanwhile
}
