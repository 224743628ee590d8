import type { OptionalStore } from '../../server/monitoring/readiness.ts'
import type { StoreDeps, StoreSettings } from '../store-kind.ts'
import type { Claim, ClaimResult } from './claim-place.ts'

/** The places of viewers, until they end. All copies of the app share them, or there is only one copy. */
export interface PlaceStore {
  /**
   * Claims a place in one step: parallel claims cannot give away more places than a viewer may have.
   * @param key of the viewer: letters, digits, `-` and `_`.
   * @throws Error if the store fails. The store logs this once a minute.
   */
  claim(key: string, claim: Claim): Promise<ClaimResult>
  readonly optionalStores: readonly OptionalStore[]
  close(): void
}

export interface PlacesDeps extends StoreDeps {
  /** The name of the setting with the address, for messages. */
  readonly setting: string
}

/** A kind of store that may keep places. */
export interface KeepsPlaces<Settings extends StoreSettings = StoreSettings> {
  places?(settings: Settings, deps: PlacesDeps): Promise<PlaceStore>
}

/** The effect of an outage, as the end of a sentence in the log. */
export const WITHOUT_PLACES = 'viewers may watch on more screens than allowed'
