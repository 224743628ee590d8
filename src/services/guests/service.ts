import { setTimeout as sleep } from 'node:timers/promises'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Service } from '../../login/service.ts'
import type { Identity } from '../../sessions/identity.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { GuestRecords, GuestStore } from './guest-records.ts'
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
  /** Deletes ended records of these kinds, which have personal data, before all others. */
  pruneFirst(kinds: readonly string[]): void
}

/**
 * Finds the guest of an address at an entry point. Null for an address that may not sign in.
 * @throws UpstreamError if a store does not answer.
 */
export type GuestSource = (entryPoint: EntryPoint, address: string) => Promise<KnownGuest | null>

const PRUNE_EVERY_MS = 60_000
/** Requests and other copies of the app come between two batches. */
const PRUNE_PAUSE_MS = 5

/** The store of guests, and the guests in it. */
export const guests: Service<Guests, GuestsSettings> = {
  name: 'guests',
  shared: GUESTS_SETTINGS,
  async open(app, { store: settings }) {
    const { openGuestStore } = await import('./record-stores.ts')
    const warn = (message: string, err?: unknown) => app.log.warn({ event: 'guest-store', err }, message)
    const records = await openGuestStore(settings, { nowSeconds: app.nowSeconds, warn })
    const { isAvailable, nowSeconds } = records
    const first: string[] = []
    let isPruning = false
    async function prune(): Promise<void> {
      if (isPruning) return
      isPruning = true
      // An outage is logged by those who need the store. The next minute tries again.
      await pruneAll(records, first).catch(() => {})
      isPruning = false
    }
    const pruning = setInterval(() => void prune(), PRUNE_EVERY_MS).unref()
    const sources: GuestSource[] = []
    return {
      handed: {
        records,
        addSource: (source) => void sources.push(source),
        pruneFirst: (kinds) => void first.push(...kinds),
        async findKnown(entryPoint, address) {
          for (const find of sources) {
            const found = await find(entryPoint, address)
            if (found) return found
          }
          return null
        },
      },
      optionalStores: [{ setting: 'GUESTS_STORE_URL', isAvailable, nowSeconds }],
      storesInMetrics: { guests: isAvailable },
      close() {
        clearInterval(pruning)
        void records.close()
      },
    }
  },
}

/** Deletes all records that have ended, batch after batch. @param first the kinds that go before the others. */
export async function pruneAll(records: Pick<GuestStore, 'prune'>, first: readonly string[]): Promise<void> {
  for (const kind of [...first, null]) while ((await records.prune(kind)) > 0) await sleep(PRUNE_PAUSE_MS)
}
