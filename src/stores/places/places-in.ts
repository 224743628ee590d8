import type { SharedStores, StoreDeps, StoreKind, StoreSettings } from '../store-kind.ts'
import { openMemoryPlaces } from './memory-places.ts'
import type { KeepsPlaces, PlaceStore } from './place-store.ts'

/** Returns a function that opens places in the store of sessions, else of limits, else in memory. */
export function placesIn(kindOf: (settings: StoreSettings) => StoreKind & KeepsPlaces) {
  return async ({ sessionStore, limitsStore }: SharedStores, deps: StoreDeps): Promise<PlaceStore> =>
    (await kindOf(sessionStore).places?.(sessionStore, { ...deps, setting: 'SESSION_STORE_URL' })) ??
    (await kindOf(limitsStore).places?.(limitsStore, { ...deps, setting: 'LIMITS_STORE_URL' })) ??
    openMemoryPlaces()
}
