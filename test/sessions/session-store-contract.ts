import type { SessionData } from 'express-session'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SessionLimits, SessionStore } from '../../src/sessions/session-store.ts'

export type Open = (limits: SessionLimits, nowSeconds: () => number) => SessionStore | Promise<SessionStore>

const LIMITS = { lifetimeSeconds: 1000, idleSeconds: 100, mostPerViewer: 20 }

export function sessionOf(username: string, signedInAtSeconds: number): SessionData {
  return { cookie: { originalMaxAge: 1000, path: '/' }, viewer: { username, signedInAtSeconds } } as SessionData
}

export function set({ store }: SessionStore, id: string, data: SessionData): Promise<void> {
  return new Promise((resolve, reject) => store.set(id, data, (error) => (error ? reject(error) : resolve())))
}

export function get({ store }: SessionStore, id: string): Promise<SessionData | null | undefined> {
  return new Promise((resolve, reject) => store.get(id, (error, data) => (error ? reject(error) : resolve(data))))
}

export function touch({ store }: SessionStore, id: string, data: SessionData): Promise<void> {
  return new Promise((resolve, reject) => {
    store.touch?.(id, data, (error?: unknown) => (error ? reject(error) : resolve()))
  })
}

export function destroy({ store }: SessionStore, id: string): Promise<void> {
  return new Promise((resolve, reject) => store.destroy(id, (error) => (error ? reject(error) : resolve())))
}

export async function livingOf(sessionStore: SessionStore, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => get(sessionStore, id)))
  return ids.filter((_id, index) => found[index])
}

/** Prepares the store of a contract, and its clock, before each test. `open` opens the same store each time. */
export function preparedStore(prepare: () => Promise<Open>) {
  const clock = { seconds: 0 }
  let openAgain: Open
  beforeEach(async () => {
    clock.seconds = 10_000
    openAgain = await prepare()
  })
  async function open(): Promise<SessionStore> {
    const sessionStore = await openAgain(LIMITS, () => clock.seconds)
    onTestFinished(() => sessionStore.close())
    return sessionStore
  }
  return { clock, open }
}

/**
 * Tests the promises of every session store, against the real store.
 * @param prepare called before each test. Returns a function that opens the same store each time, empty at first.
 */
export function sessionStoreContract(name: string, prepare: () => Promise<Open>): void {
  describe(`session store contract: ${name}`, () => {
    const { clock, open } = preparedStore(prepare)
    const whenItAnswers = <T>(work: () => Promise<T>) => vi.waitFor(work, { timeout: 10_000, interval: 100 })
    const ada = (signedInAtSeconds = clock.seconds) => sessionOf('ada', signedInAtSeconds)

    test(`the session store in ${name} returns a viewer unchanged, and null for an unknown id`, async () => {
      const sessionStore = await open()
      const snapshot = { groups: ['gold'], attributes: { street: 'Straße 1' } }
      const identity = { issuer: 'https://idp.example', subject: 'a1', providerSession: 's1' }
      const stored = { providerId: 'p', ...identity, endsAtSeconds: 20_000 }
      const viewer = { username: 'ada', signedInAtSeconds: 10_000, passwordVersion: 'v1', snapshot, identity: stored }
      await set(sessionStore, 'a', { ...ada(), viewer } as SessionData)
      const found = await get(sessionStore, 'a')
      expect(found?.cookie).toEqual({})
      expect(found?.viewer).toEqual(viewer)
      expect(await get(sessionStore, 'b')).toBeNull()
    })

    test(`the session store in ${name} serves several processes at once`, async () => {
      const one = await open()
      const two = await open()
      await set(one, 'a', ada())
      expect(await get(two, 'a')).toMatchObject({ viewer: { username: 'ada' } })
      await destroy(two, 'a')
      expect(await get(one, 'a')).toBeNull()
    })

    test(`the session store in ${name} ends a session in the second when its idle time or lifetime is over`, async () => {
      const sessionStore = await open()
      await set(sessionStore, 'idle', ada())
      await set(sessionStore, 'old', sessionOf('bob', clock.seconds - 950))
      clock.seconds += 49
      expect(await get(sessionStore, 'old')).not.toBeNull()
      clock.seconds += 1
      expect(await get(sessionStore, 'old')).toBeNull()
      clock.seconds += 49
      expect(await get(sessionStore, 'idle')).not.toBeNull()
      clock.seconds += 1
      expect(await get(sessionStore, 'idle')).toBeNull()
    })

    test(`the session store in ${name} counts the idle time from the last use, and the lifetime from the sign-in`, async () => {
      const sessionStore = await open()
      await set(sessionStore, 'a', ada())
      for (let use = 0; use < 12; use += 1) {
        clock.seconds += 80
        const data = await get(sessionStore, 'a')
        await touch(sessionStore, 'a', data ?? expect.unreachable('it was used'))
      }
      clock.seconds = 10_999
      expect(await get(sessionStore, 'a')).not.toBeNull()
      clock.seconds = 11_000
      expect(await get(sessionStore, 'a')).toBeNull()
    })

    test(`the session store in ${name} ends a used session in the second when its idle time is over`, async () => {
      const sessionStore = await open()
      await set(sessionStore, 'a', ada())
      clock.seconds += 80
      await touch(sessionStore, 'a', (await get(sessionStore, 'a')) as SessionData)
      clock.seconds += 99
      expect(await get(sessionStore, 'a')).not.toBeNull()
      clock.seconds += 1
      expect(await get(sessionStore, 'a')).toBeNull()
    })

    test(`the session store in ${name} does not restore a session that was ended before it was used`, async () => {
      const sessionStore = await open()
      await touch(sessionStore, 'never', ada(clock.seconds - 90))
      await set(sessionStore, 'a', ada())
      clock.seconds += 90
      const data = (await get(sessionStore, 'a')) as SessionData
      await destroy(sessionStore, 'a')
      await touch(sessionStore, 'a', data)
      expect([await get(sessionStore, 'a'), await get(sessionStore, 'never')]).toEqual([null, null])
    })

    test(`the session store in ${name} keeps the newest 20 sessions of a viewer, even if the clock is set back`, async () => {
      const sessionStore = await open()
      await set(sessionStore, 'eve', sessionOf('eve', clock.seconds))
      const ids = Array.from({ length: 50 }, (_, index) => `s${index}`)
      for (const [index, id] of ids.entries()) {
        if (index === 30) clock.seconds -= 300
        await set(sessionStore, id, sessionOf(index % 2 === 0 ? 'ada' : 'Ada', clock.seconds))
      }
      expect(await livingOf(sessionStore, ids)).toEqual(ids.slice(-20))
      expect(await get(sessionStore, 'eve')).not.toBeNull()
    })

    test(`the session store in ${name} leaves 20 sessions of 200 parallel sign-ins, the newest`, async () => {
      const stores = [await open(), await open()] as const
      const [store] = stores
      const signIn = (id: string, index: number) =>
        set(stores[index % 2 === 0 ? 0 : 1], id, sessionOf('ada', clock.seconds))
      const others = Array.from({ length: 40 }, (_, index) => `other${index}`)
      for (const id of others) await set(store, id, sessionOf(id, clock.seconds))
      const ids = Array.from({ length: 200 }, (_, index) => `s${index}`)
      // On a busy machine, a server may answer some of them too late.
      await Promise.allSettled(ids.slice(0, 180).map(signIn))
      clock.seconds += 10
      for (const [index, id] of ids.slice(180).entries()) await whenItAnswers(() => signIn(id, index))
      expect(await whenItAnswers(() => livingOf(store, ids))).toEqual(ids.slice(180))
      expect(await whenItAnswers(() => livingOf(store, others))).toEqual(others)
    })

    test(`the session store in ${name} ends all sessions of one viewer, in any case of the name`, async () => {
      const sessionStore = await open()
      for (const id of ['a', 'b']) await set(sessionStore, id, ada())
      await set(sessionStore, 'c', sessionOf('bob', clock.seconds))
      expect(await sessionStore.endSessionsOf('ADA')).toBe(2)
      expect(await sessionStore.endSessionsOf('ADA')).toBe(0)
      expect([await get(sessionStore, 'a'), await get(sessionStore, 'b')]).toEqual([null, null])
      expect(await get(sessionStore, 'c')).not.toBeNull()
    })

    test(`the session store in ${name} does not keep a session without a viewer`, async () => {
      const sessionStore = await open()
      await set(sessionStore, 'a', { cookie: { originalMaxAge: 1000 } } as SessionData)
      expect(await get(sessionStore, 'a')).toBeNull()
    })

    test(`the session store in ${name} treats an id as a value, not as part of a query or pattern`, async () => {
      const sessionStore = await open()
      await set(sessionStore, 'a', ada())
      const others = ["a' OR '1'='1", '%', '*', '?', '[a]', '', 'a\0b', 'A', 'a\r\nFLUSHALL\r\n']
      for (const id of others) {
        expect(await get(sessionStore, id)).toBeNull()
        await destroy(sessionStore, id)
      }
      expect(await get(sessionStore, 'a')).not.toBeNull()
    })
  })
}
