import { expect, test } from 'vitest'
import { OverloadedError } from '../../../../src/errors.ts'
import { createMemoryFlows } from '../../../../src/services/window/flows/memory-flows.ts'
import { flowStoreContract, RESULT, STARTED } from './flow-store-contract.ts'

flowStoreContract('memory', () => Promise.resolve(createMemoryFlows(() => 0)))

test('a sign-in ends after 600 seconds, and a result after 120', async () => {
  const clock = { seconds: 0 }
  const store = createMemoryFlows(() => clock.seconds)
  await store.put('state', 'a', STARTED)
  await store.put('result', 'a', RESULT)
  clock.seconds = 119
  expect([await store.has('state', 'a'), await store.has('result', 'a')]).toEqual([true, true])
  clock.seconds = 120
  expect([await store.has('state', 'a'), await store.has('result', 'a')]).toEqual([true, false])
  clock.seconds = 600
  expect([await store.take('state', 'a'), await store.take('result', 'a')]).toEqual([null, null])
})

test('a full memory refuses new sign-ins, keeps the ones under way, and has room when they end', async () => {
  const clock = { seconds: 0 }
  const store = createMemoryFlows(() => clock.seconds, 2)
  await store.put('state', 'a', STARTED)
  await store.put('state', 'b', STARTED)
  await expect(store.put('state', 'c', STARTED)).rejects.toThrow(OverloadedError)
  expect(await store.has('state', 'a')).toBe(true)
  clock.seconds = 600
  await store.put('state', 'c', STARTED)
  expect(await store.has('state', 'c')).toBe(true)
})
