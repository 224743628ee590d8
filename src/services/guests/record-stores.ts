import { ConfigError } from '../../errors.ts'
import { fileRecords } from './file-records.ts'
import type { GuestStore } from './guest-records.ts'
import { postgresRecords } from './postgres/kind.ts'
import type { GuestStoreSettings, OpenStoreDeps, RecordStoreKind } from './record-store-kind.ts'

/** The stores that GUESTS_STORE_URL can choose. */
// biome-ignore format: a store is one line, so that it can be removed
export const RECORD_STORES = [
  fileRecords, // sqlite:FILE
  postgresRecords, // postgres://…
] as readonly RecordStoreKind[]

/** Opens the store of the settings. @throws ConfigError if they cannot be used. */
export async function openGuestStore(settings: GuestStoreSettings, deps: OpenStoreDeps): Promise<GuestStore> {
  const chosen = RECORD_STORES.find(({ kind }) => kind === settings.kind)
  if (chosen === undefined) throw new ConfigError(`There is no guests store of the kind ${settings.kind}.`)
  return await chosen.open(settings, deps)
}

/** Opens the store for the work of a command. The app may be running. @throws ConfigError if it cannot be used. */
export async function withGuestStore<T>(
  settings: GuestStoreSettings,
  work: (records: GuestStore) => Promise<T>,
): Promise<T> {
  const records = await openGuestStore(settings, { nowSeconds: () => Date.now() / 1000, isCommand: true })
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}
