import { LRUCache } from 'lru-cache'
import { claimPlace } from './claim-place.ts'
import type { PlaceStore } from './place-store.ts'

/** About 30 MB. Beyond it, the viewers whose last claim is the oldest lose their places, which are then free. */
const MOST_VIEWERS = 100_000

/** Creates a store in the memory of this process, for an app with one copy. A restart frees all places. */
export function openMemoryPlaces(mostViewers = MOST_VIEWERS): PlaceStore {
  const places = new LRUCache<string, string>({ max: mostViewers })
  return {
    claim: (key, claim) =>
      Promise.try(() => {
        const { result, text } = claimPlace(places.get(key) ?? '', claim)
        if (text !== null) places.set(key, text)
        return result
      }),
    optionalStores: [],
    close: () => {},
  }
}
