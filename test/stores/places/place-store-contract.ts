import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Claim } from '../../../src/stores/places/claim-place.ts'
import type { PlaceStore } from '../../../src/stores/places/place-store.ts'

const NOW = 2_000_000_000

/** Claims places for a viewer who may have `most` of them, for 100 s each. */
export function claimsOf(store: Pick<PlaceStore, 'claim'>, key: string, most = 1) {
  return (place: string, how: Claim['how'], nowSeconds = NOW, changes: Partial<Claim> = {}) =>
    store.claim(key, { place, how, most, nowSeconds, endsAtSeconds: nowSeconds + 100, ...changes })
}

/**
 * Tests the promises of every store of places, against the real store.
 * @param open opens the same store, empty before each test.
 */
export function placeStoreContract(name: string, open: () => Promise<PlaceStore> | PlaceStore): void {
  describe(`place store contract: ${name}`, () => {
    let store: PlaceStore
    let claim: ReturnType<typeof claimsOf>
    beforeEach(async () => {
      store = await open()
      onTestFinished(() => store.close())
      claim = claimsOf(store, 'ada')
    })
    test(`the newest place wins in ${name}, and the other gets none`, async () => {
      expect(await claim('a', 'newest')).toBe('taken')
      expect(await claim('b', 'newest')).toBe('taken-over')
      expect(await claim('a', 'if-free')).toBe('none-free')
      expect(await claim('b', 'if-free')).toBe('taken')
    })
    test(`a place in ${name} that takes its place back is the newest`, async () => {
      const two = claimsOf(store, 'ada', 2)
      for (const place of ['a', 'b']) await two(place, 'newest')
      expect(await two('a', 'newest')).toBe('taken')
      expect(await two('c', 'newest')).toBe('taken-over')
      expect([await two('b', 'if-free'), await two('a', 'if-free')]).toEqual(['none-free', 'taken'])
    })
    test(`a place in ${name} that is only extended stays the oldest`, async () => {
      const two = claimsOf(store, 'ada', 2)
      for (const place of ['a', 'b']) await two(place, 'newest')
      expect(await two('a', 'if-free', NOW + 50)).toBe('taken')
      expect(await two('c', 'newest', NOW + 51)).toBe('taken-over')
      expect(await two('a', 'if-free', NOW + 52)).toBe('none-free')
    })
    test(`looks in ${name} for fewer places tell how many are taken`, async () => {
      for (const place of ['a', 'b', 'c']) await claim(place, 'if-free', NOW, { most: 5 })
      const look = (most: number) => claim('', 'look', NOW, { most })
      expect(await Promise.all([1, 2, 3, 4, 5].map(look))).toEqual([
        ...['none-free', 'none-free', 'none-free'],
        ...['taken', 'taken'],
      ])
    })
    test(`a place in ${name} ends in its second, and is then free`, async () => {
      await claim('a', 'newest')
      expect(await claim('b', 'if-free', NOW + 99)).toBe('none-free')
      expect(await claim('b', 'if-free', NOW + 100)).toBe('taken')
      expect(await claim('a', 'if-free', NOW + 101)).toBe('none-free')
    })
    test(`an extended place in ${name} ends later`, async () => {
      await claim('a', 'newest')
      await claim('a', 'if-free', NOW + 50)
      expect(await claim('b', 'if-free', NOW + 149)).toBe('none-free')
      expect(await claim('b', 'if-free', NOW + 150)).toBe('taken')
    })
    test(`a place in ${name} can end earlier than before`, async () => {
      for (const how of ['newest', 'if-free'] as const) {
        await claim('a', how)
        await claim('a', how, NOW, { endsAtSeconds: NOW + 1 })
        expect(await claim('b', 'look', NOW)).toBe('none-free')
        expect(await claim('b', 'look', NOW + 1)).toBe('taken')
      }
    })
    test(`a look in ${name} takes no place`, async () => {
      expect(await claim('a', 'look')).toBe('taken')
      expect(await claim('b', 'newest')).toBe('taken')
      expect(await claim('a', 'look')).toBe('none-free')
      expect(await claim('b', 'look')).toBe('taken')
    })
    test(`a place in ${name} replaces another of the same browser`, async () => {
      await claim('a', 'newest')
      expect(await claim('b', 'look', NOW, { replaces: 'a' })).toBe('taken')
      expect(await claim('b', 'newest', NOW, { replaces: 'a' })).toBe('taken')
      expect(await claim('a', 'if-free')).toBe('none-free')
    })
    test(`places beyond a smaller limit end in ${name}, the oldest first`, async () => {
      const three = claimsOf(store, 'ada', 3)
      for (const place of ['a', 'b', 'c']) await three(place, 'newest')
      expect(await claim('c', 'if-free')).toBe('taken')
      expect(await three('a', 'look', NOW, { most: 1 })).toBe('none-free')
    })
    test(`viewers in ${name} have places of their own`, async () => {
      await claim('a', 'newest')
      expect(await claimsOf(store, 'bob')('b', 'if-free')).toBe('taken')
      expect(await claim('a', 'if-free')).toBe('taken')
    })
    test(`of many who take the only place in ${name} at the same time, one keeps it`, async () => {
      const places = Array.from({ length: 20 }, (_, index) => `place-${index}`)
      const results = await Promise.all(places.map((place) => claim(place, 'newest')))
      expect(results.filter((result) => result === 'taken')).toHaveLength(1)
      const kept = await Promise.all(places.map((place) => claim(place, 'look')))
      expect(kept.filter((result) => result === 'taken')).toHaveLength(1)
    })
  })
}
