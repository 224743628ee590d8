import { existsSync } from 'node:fs'
import { z } from 'zod'
import type { SharedSettings } from '../../entry-points/feature-settings.ts'
import type { Environment } from '../../settings/fields.ts'
import { CertificatesFile } from '../../settings/named-file.ts'
import type { GuestStore } from './guest-records.ts'
import type { GuestStoreSettings } from './record-store-kind.ts'
import { RECORD_STORES, withGuestStore } from './record-stores.ts'

export interface GuestsSettings {
  readonly store: GuestStoreSettings
}

const DEFAULT_URL = 'sqlite:data/guests.db'

const settings = {
  GUESTS_STORE_URL: z.string().default(DEFAULT_URL).meta({ isSecret: true, isAddress: true }),
  GUESTS_CA_FILE: CertificatesFile.optional().meta({
    protects: 'without it, a connection to localhost is not encrypted',
  }),
}

const schema = z
  .record(z.string(), z.string().optional())
  .transform((environment: Environment, context): GuestsSettings => {
    const { GUESTS_STORE_URL: url = DEFAULT_URL } = environment
    const add = (setting: string, message: string) => context.addIssue({ code: 'custom', path: [setting], message })
    const ca = settings.GUESTS_CA_FILE.safeParse(environment.GUESTS_CA_FILE)
    for (const { message } of ca.error?.issues ?? []) add('GUESTS_CA_FILE', message)
    const chosen = RECORD_STORES.find((kind) => kind.isUrl(url))
    if (chosen === undefined) {
      add('GUESTS_STORE_URL', `must be one of ${RECORD_STORES.map(({ urlForm }) => urlForm).join(', ')}`)
      return z.NEVER
    }
    const read = chosen.read(url, ca.success ? environment : {})
    if (read.ok) return { store: read.settings }
    for (const { setting, message } of read.mistakes) add(setting, message)
    return z.NEVER
  })

/** The store of guests, which all entry points share. */
export const GUESTS_SETTINGS: SharedSettings<GuestsSettings> = { settings, schema }

/**
 * Opens the store for a command that reads or deletes what is there.
 * @param none the result without a file.
 */
export async function withStoredGuests<T>(
  { store }: GuestsSettings,
  none: T,
  work: (records: GuestStore) => Promise<T>,
): Promise<T> {
  return 'file' in store && !existsSync(String(store.file)) ? none : await withGuestStore(store, work)
}
