import { isPostgresUrl, type PostgresSettings, readPostgresSettings } from '../../../users/postgres/settings.ts'
import type { RecordStoreKind } from '../record-store-kind.ts'

const CONNECTIONS = '5'

/** Records in a PostgreSQL database, for several copies of the app. */
export const postgresRecords: RecordStoreKind<PostgresSettings> = {
  kind: 'postgres',
  urlForm: 'postgres://USER:PASSWORD@HOST/DATABASE',
  isUrl: isPostgresUrl,
  read(url, { GUESTS_CA_FILE }) {
    const ca = GUESTS_CA_FILE === undefined ? {} : { POSTGRES_CA_FILE: GUESTS_CA_FILE }
    const read = readPostgresSettings(url, { ...ca, POSTGRES_POOL_SIZE: CONNECTIONS })
    if (read.ok) return read
    const named = (text: string) =>
      text.replace('USER_STORE_URL', 'GUESTS_STORE_URL').replace('POSTGRES_CA_FILE', 'GUESTS_CA_FILE')
    const mistakes = read.mistakes.map(({ setting, message }) => ({ setting: named(setting), message: named(message) }))
    return { ok: false, mistakes }
  },
  async open(settings, deps) {
    const { openPostgresRecords } = await import('./postgres-records.ts')
    return openPostgresRecords(settings, deps)
  },
}
