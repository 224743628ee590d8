import type { UserStoreKind } from '../user-store-kind.ts'
import type { MigratesTables } from './migration.ts'
import { isPostgresUrl, PostgresEnvironment, type PostgresSettings, readPostgresSettings } from './settings.ts'

/** Viewers in a PostgreSQL database: a table of this app, or the customer's own. */
export const postgresStore: UserStoreKind<PostgresSettings> & MigratesTables<PostgresSettings> = {
  kind: 'postgres',
  urlForm: 'postgres://USER:PASSWORD@HOST/DATABASE',
  isUrl: isPostgresUrl,
  settings: PostgresEnvironment.shape,
  read: readPostgresSettings,
  isOwn: ({ query }) => query === null,
  faultInLookup: ({ query }) =>
    query === null ? null : 'needs the table of this app: POSTGRES_QUERY finds viewers by the user name alone',
  async open(settings, warn) {
    const { openPostgresStore } = await import('./store.ts')
    return await openPostgresStore(settings, { warn })
  },
  async openEditable(settings, options) {
    const { openEditablePostgresStore } = await import('./editable-store.ts')
    return await openEditablePostgresStore(settings, options)
  },
  async migrate(settings, app) {
    const { migratePostgres } = await import('./editable-store.ts')
    return await migratePostgres(settings, app)
  },
}
