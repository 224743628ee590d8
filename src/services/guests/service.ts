import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Service } from '../../login/service.ts'
import type { Identity } from '../../sessions/identity.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { GuestRecords } from './guest-records.ts'
import { GUESTS_SETTINGS, type GuestsSettings } from './settings.ts'

/** A guest who may sign in, and the identity of the guest. */
export interface KnownGuest {
  readonly viewer: Viewer
  readonly identity: Identity
}

/** The guests of all features, who are in no user store. */
export interface Guests {
  readonly records: GuestRecords
  /** Adds the guests of a feature, who may also sign in with a code by mail. */
  addSource(source: GuestSource): void
  /** Returns the guest of an address by the first source that knows one; null without one. */
  findKnown: GuestSource
}

/**
 * Finds the guest of an address at an entry point. Null for an address that may not sign in.
 * @throws UpstreamError if a store does not answer.
 */
export type GuestSource = (entryPoint: EntryPoint, address: string) => Promise<KnownGuest | null>

const PRUNE_EVERY_MS = 600_000

/** The store of guests, and the guests in it. */
export const guests: Service<Guests, GuestsSettings> = {
  name: 'guests',
  shared: GUESTS_SETTINGS,
  async open({ nowSeconds, log }, { store: settings }) {
    const { openGuestStore } = await import('./record-stores.ts')
    const warn = (message: string, err?: unknown) => log.warn({ event: 'guest-store', err }, message)
    const records = await openGuestStore(settings, { nowSeconds, warn })
    const pruning = setInterval(() => void records.prune().catch(() => {}), PRUNE_EVERY_MS).unref()
    const sources: GuestSource[] = []
    return {
      handed: {
        records,
        addSource: (source) => void sources.push(source),
        async findKnown(entryPoint, address) {
          for (const find of sources) {
            const found = await find(entryPoint, address)
            if (found) return found
          }
          return null
        },
      },
      optionalStores: [{ setting: 'GUESTS_STORE_URL', isAvailable: records.isAvailable }],
      storesInMetrics: { guests: records.isAvailable },
      close() {
        clearInterval(pruning)
        void records.close()
      },
    }
  },
}
