import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type FlowKind, type FlowStore, RESULT } from '../../../../src/services/window/flows/flow-store.ts'

/** Kinds as features have them. */
export const STATE: FlowKind<typeof STARTED> = {
  name: 'state',
  seconds: 600,
  schema: z.object({ entryPoint: z.string(), flow: z.string().nullable(), startedAtSeconds: z.number() }),
}
const TIME: FlowKind<{ readonly atSeconds: number }> = {
  name: 'logout',
  seconds: 900,
  schema: z.object({ atSeconds: z.number() }),
}

export const STARTED = { entryPoint: 'default', flow: 'f' as string | null, startedAtSeconds: 1_999_999_990.5 }
export const SIGNED_IN = {
  entryPoint: 'default',
  username: 'ada',
  groups: ['gold'],
  attributes: { street: 'Straße 1' },
}

/**
 * Tests the promises of every store of sign-ins that are under way, against the real store.
 * @param open opens the same store, empty before each test.
 */
export function flowStoreContract(name: string, open: () => Promise<FlowStore>): void {
  describe(`flow store contract: ${name}`, () => {
    let store: FlowStore
    beforeEach(async () => {
      store = await open()
      onTestFinished(() => store.close())
    })
    test(`the flow store in ${name} returns a record unchanged, once`, async () => {
      await store.put(STATE, 'a', STARTED)
      await store.put(RESULT, 'a', SIGNED_IN)
      expect([await store.take(STATE, 'a'), await store.take(STATE, 'a')]).toEqual([STARTED, null])
      expect([await store.take(RESULT, 'a'), await store.take(RESULT, 'a')]).toEqual([SIGNED_IN, null])
    })
    test(`the flow store in ${name} keeps a refusal in place of a result, and the last one counts`, async () => {
      const refused = { entryPoint: 'default', refusal: 'groupsOverage' } as const
      await store.put(RESULT, 'a', refused)
      expect(await store.take(RESULT, 'a')).toEqual(refused)
      await store.put(RESULT, 'a', refused)
      await store.put(RESULT, 'a', SIGNED_IN)
      expect(await store.take(RESULT, 'a')).toEqual(SIGNED_IN)
    })
    test(`of many who take a record at the same time, one gets it, ${name}`, async () => {
      await store.put(RESULT, 'a', SIGNED_IN)
      const taken = await Promise.all(Array.from({ length: 20 }, () => store.take(RESULT, 'a')))
      expect(taken.filter((record) => record !== null)).toEqual([SIGNED_IN])
    })
    test(`a form gets its record again, also at the same moment, and no other form does, ${name}`, async () => {
      await store.put(RESULT, 'a', SIGNED_IN)
      const takers = ['one', 'one', 'other', undefined, 'one']
      const taken = await Promise.all(takers.map((taker) => store.take(RESULT, 'a', taker)))
      expect(taken).toEqual([SIGNED_IN, SIGNED_IN, null, null, SIGNED_IN])
      // For all others, the record is gone.
      expect([await store.has(RESULT, 'a'), await store.read(RESULT, 'a')]).toEqual([false, null])
      await store.put(RESULT, 'a', { ...SIGNED_IN, username: 'eve' })
      expect(await store.take(RESULT, 'a', 'other')).toMatchObject({ username: 'eve' })
    })
    test(`the flow store in ${name} reads a record as often as asked`, async () => {
      expect(await store.read(TIME, 'a')).toBeNull()
      await store.put(TIME, 'a', { atSeconds: 1.5 })
      await store.put(TIME, 'a', { atSeconds: 2.5 })
      expect([await store.read(TIME, 'a'), await store.read(TIME, 'a')]).toEqual(Array(2).fill({ atSeconds: 2.5 }))
      expect(await store.read({ ...TIME, name: 'other' }, 'a')).toBeNull()
    })
    test(`a look leaves the record there, ${name}`, async () => {
      expect(await store.has(RESULT, 'a')).toBe(false)
      await store.put(RESULT, 'a', SIGNED_IN)
      expect([await store.has(RESULT, 'a'), await store.has(RESULT, 'a')]).toEqual([true, true])
      expect(await store.has(STATE, 'a')).toBe(false)
      expect(await store.take(RESULT, 'a')).toEqual(SIGNED_IN)
    })
  })
}
