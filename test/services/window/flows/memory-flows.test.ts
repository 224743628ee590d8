import { expect, test } from 'vitest'
import { OverloadedError } from '../../../../src/errors.ts'
import { RESULT } from '../../../../src/services/window/flows/flow-store.ts'
import { createMemoryFlows } from '../../../../src/services/window/flows/memory-flows.ts'
import { flowStoreContract, SIGNED_IN, STARTED, STATE } from './flow-store-contract.ts'

flowStoreContract('memory', () => Promise.resolve(createMemoryFlows(() => 0)))

test('a sign-in ends after 600 seconds, and a result after 120', async () => {
  const clock = { seconds: 0 }
  const store = createMemoryFlows(() => clock.seconds)
  await store.put(STATE, 'a', STARTED)
  await store.put(RESULT, 'a', SIGNED_IN)
  clock.seconds = 119
  expect([await store.has(STATE, 'a'), await store.has(RESULT, 'a')]).toEqual([true, true])
  clock.seconds = 120
  expect([await store.has(STATE, 'a'), await store.has(RESULT, 'a')]).toEqual([true, false])
  clock.seconds = 600
  expect([await store.take(STATE, 'a'), await store.take(RESULT, 'a')]).toEqual([null, null])
})

test('a form gets its record again for ten seconds', async () => {
  const clock = { seconds: 0 }
  const store = createMemoryFlows(() => clock.seconds)
  await store.put(RESULT, 'a', SIGNED_IN)
  clock.seconds = 60
  expect(await store.take(RESULT, 'a', 'form')).toEqual(SIGNED_IN)
  clock.seconds = 69
  expect(await store.take(RESULT, 'a', 'form')).toEqual(SIGNED_IN)
  clock.seconds = 70
  expect(await store.take(RESULT, 'a', 'form')).toBeNull()
})

test('a full memory refuses new sign-ins, keeps the ones under way, and has room when they end', async () => {
  const clock = { seconds: 0 }
  const store = createMemoryFlows(() => clock.seconds, 2)
  await store.put(STATE, 'a', STARTED)
  await store.put(STATE, 'b', STARTED)
  await expect(store.put(STATE, 'c', STARTED)).rejects.toThrow(OverloadedError)
  expect(await store.has(STATE, 'a')).toBe(true)
  clock.seconds = 600
  await store.put(STATE, 'c', STARTED)
  expect(await store.has(STATE, 'c')).toBe(true)
})
