import { z } from 'zod'
import type { ReadSettings } from '../settings/fields.ts'
import { HttpStoreEnvironment, type HttpStoreSettings, isHttpStoreUrl, readHttpStoreSettings } from './http/settings.ts'
import { isLdapUrl, LdapStoreEnvironment, type LdapStoreSettings, readLdapStoreSettings } from './ldap/settings.ts'
import type { Warn } from './passwords/verify-sign-in.ts'
import { isPostgresUrl, PostgresEnvironment, type PostgresSettings, readPostgresSettings } from './postgres/settings.ts'
import type { UserStore } from './user-store.ts'

/**
 * Which store the viewers are in. To sign in your own users: add a member here, an entry to `STORES`, and a case to
 * `openUserStore`. `test/users/user-store-contract.ts` then tells whether the store keeps every promise.
 */
export type UserStoreSettings = SqliteSettings | PostgresSettings | LdapStoreSettings | HttpStoreSettings

interface SqliteSettings {
  readonly kind: 'sqlite'
  readonly file: string
}

interface StoreKind {
  readonly isOf: (url: string) => boolean
  /** The names of its settings beside USER_STORE_URL. */
  readonly settings: readonly string[]
  readonly read: (
    url: string,
    environment: Readonly<Record<string, string | undefined>>,
  ) => ReadSettings<UserStoreSettings>
}

const DEFAULT_URL = 'sqlite:data/viewers.db'
const SQLITE_FILE = /^sqlite:(?!\/\/|:)(.+)$/

const STORES: readonly StoreKind[] = [
  {
    isOf: (url) => SQLITE_FILE.test(url),
    settings: [],
    read: (url) => ({ ok: true, settings: { kind: 'sqlite', file: SQLITE_FILE.exec(url)?.[1] ?? '' } }),
  },
  { isOf: isPostgresUrl, settings: Object.keys(PostgresEnvironment.shape), read: readPostgresSettings },
  { isOf: isLdapUrl, settings: Object.keys(LdapStoreEnvironment.shape), read: readLdapStoreSettings },
  { isOf: isHttpStoreUrl, settings: Object.keys(HttpStoreEnvironment.shape), read: readHttpStoreSettings },
]

/** The names of the settings that all user stores have beside USER_STORE_URL. */
export const USER_STORE_SETTINGS: readonly string[] = STORES.flatMap(({ settings }) => settings)

// The address itself is not repeated: one of a database holds a password.
const NO_STORE = `must be sqlite:FILE, with the path of a file, as in ${DEFAULT_URL}, postgres://USER:PASSWORD@HOST/DATABASE, ldaps://HOST or https://HOST/PATH`

/** The settings of the user store in the environment: USER_STORE_URL, whose scheme chooses the store, and the store's own. */
export const UserStoreEnvironment = z
  .record(z.string(), z.string().optional())
  .transform((environment, context): UserStoreSettings => {
    const url = environment.USER_STORE_URL ?? DEFAULT_URL
    const chosen = STORES.find(({ isOf }) => isOf(url))
    const add = (setting: string, message: string) => {
      context.addIssue({ code: 'custom', path: [setting], message })
    }
    const others = USER_STORE_SETTINGS.filter((name) => chosen && !chosen.settings.includes(name))
    for (const name of others) {
      if (environment[name] !== undefined)
        add(name, 'is a setting of another store than that of USER_STORE_URL: remove it')
    }
    const read = chosen?.read(url, environment)
    if (read?.ok) return read.settings
    for (const { setting, message } of read?.mistakes ?? [{ setting: 'USER_STORE_URL', message: NO_STORE }]) {
      add(setting, message)
    }
    return z.NEVER
  })

/**
 * Opens the store that was chosen.
 * @param warn told what an operator should know of, such as a hash that cannot be verified.
 * @throws ConfigError when the settings name what cannot be used.
 */
export async function openUserStore(settings: UserStoreSettings, warn?: Warn): Promise<UserStore> {
  switch (settings.kind) {
    case 'sqlite': {
      const { openSqliteStore } = await import('./sqlite/store.ts')
      return openSqliteStore(settings.file, warn ? { warn } : {})
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./postgres/store.ts')
      return await openPostgresStore(settings, warn ? { warn } : {})
    }
    case 'ldap': {
      const { openLdapStore } = await import('./ldap/store.ts')
      return openLdapStore(settings, warn ? { warn } : {})
    }
    case 'http': {
      const { openHttpStore } = await import('./http/store.ts')
      return openHttpStore(settings, warn ? { warn } : {})
    }
  }
}
