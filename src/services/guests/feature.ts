import { ConfigError } from '../../errors.ts'
import type { Feature, Services } from '../../login/feature.ts'
import type { OptionalStore } from '../../server/monitoring/readiness.ts'
import type { GuestStore } from './guest-records.ts'
import { GUESTS_SETTINGS, type GuestsSettings } from './settings.ts'

declare module '../../login/feature.ts' {
  interface OpenFeature<T = unknown> {
    /** Opens the guests store, once for all features. */
    readonly guestRecords?: () => Promise<GuestStore>
  }
}

const PRUNE_EVERY_MS = 600_000

/** The store of guests for other features. It opens before them. */
export const guests: Feature<Record<string, never>, object, GuestsSettings> = {
  name: 'guests',
  shared: GUESTS_SETTINGS,
  open({ nowSeconds, log }, _entryPoints, { store: settings }) {
    const optionalStores: OptionalStore[] = []
    let opened: Promise<GuestStore> | undefined
    let pruning: NodeJS.Timeout | undefined
    async function openStore(): Promise<GuestStore> {
      const { openGuestStore } = await import('./record-stores.ts')
      const warn = (message: string, err?: unknown) => log.warn({ event: 'guest-store', err }, message)
      const store = await openGuestStore(settings, { nowSeconds, warn })
      optionalStores.push({ setting: 'GUESTS_STORE_URL', isAvailable: store.isAvailable })
      pruning = setInterval(() => void store.prune().catch(() => {}), PRUNE_EVERY_MS).unref()
      return store
    }
    return Promise.resolve({
      at: () => ({}),
      guestRecords: () => (opened ??= openStore()),
      optionalStores,
      get storesInMetrics() {
        return opened !== undefined ? { guests: () => optionalStores.every((one) => one.isAvailable()) } : {}
      },
      close() {
        clearInterval(pruning)
        void opened?.then((store) => store.close())
      },
    })
  },
}

/** Opens the guests store, for a feature that needs it. @throws ConfigError if its settings cannot be used. */
export async function openGuestRecords({ opened }: Pick<Services, 'opened'>): Promise<GuestStore> {
  const open = opened.find((one) => one.open.guestRecords)?.open.guestRecords
  if (open === undefined) throw new ConfigError('The feature guests must come before the features that use it.')
  return await open()
}
