import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { FlowStore, SignInResult, StartedFlow } from '../../../../src/services/window/flows/flow-store.ts'

export const STARTED: StartedFlow = {
  entryPoint: 'default',
  flow: 'f',
  nonce: 'n',
  codeVerifier: 'v',
  browserKeyDigest: 'b',
  network: '192.0.2.1',
  language: null,
  wantsOtherAccount: false,
  startedAtSeconds: 1_999_999_990.5,
}
export const RESULT: SignInResult = {
  entryPoint: 'default',
  username: 'ada',
  groups: ['gold'],
  attributes: { street: 'Straße 1' },
  issuer: 'https://idp.example',
  subject: 'a1',
  providerSession: null,
  signedInAtSeconds: 2_000_000_000,
  startedAtSeconds: 1_999_999_990.5,
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
      await store.put('state', 'a', STARTED)
      await store.put('result', 'a', RESULT)
      expect([await store.take('state', 'a'), await store.take('state', 'a')]).toEqual([STARTED, null])
      expect([await store.take('result', 'a'), await store.take('result', 'a')]).toEqual([RESULT, null])
    })
    test(`the flow store in ${name} keeps a refusal in place of a result, and the last one counts`, async () => {
      const refused = { entryPoint: 'default', refusal: 'groupsOverage' } as const
      await store.put('result', 'a', refused)
      expect(await store.take('result', 'a')).toEqual(refused)
      await store.put('result', 'a', refused)
      await store.put('result', 'a', RESULT)
      expect(await store.take('result', 'a')).toEqual(RESULT)
    })
    test(`of many who take a record at the same time, one gets it, ${name}`, async () => {
      await store.put('result', 'a', RESULT)
      const taken = await Promise.all(Array.from({ length: 20 }, () => store.take('result', 'a')))
      expect(taken.filter((record) => record !== null)).toEqual([RESULT])
    })
    test(`the flow store in ${name} reads a record as often as asked`, async () => {
      expect(await store.read('logout', 'a')).toBeNull()
      await store.put('logout', 'a', { atSeconds: 1.5 })
      await store.put('logout', 'a', { atSeconds: 2.5 })
      expect([await store.read('logout', 'a'), await store.read('logout', 'a')]).toEqual(
        Array(2).fill({ atSeconds: 2.5 }),
      )
      expect(await store.read('logoutToken', 'a')).toBeNull()
    })
    test(`a look leaves the record there, ${name}`, async () => {
      expect(await store.has('result', 'a')).toBe(false)
      await store.put('result', 'a', RESULT)
      expect([await store.has('result', 'a'), await store.has('result', 'a')]).toEqual([true, true])
      expect(await store.has('state', 'a')).toBe(false)
      expect(await store.take('result', 'a')).toEqual(RESULT)
    })
  })
}
