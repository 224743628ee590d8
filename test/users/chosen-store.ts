import { httpSettings } from './http/http-settings.ts'
import { ldapSettings } from './ldap/ldap-settings.ts'
import { postgresSettings } from './postgres/postgres-settings.ts'
import { sqliteSettings } from './sqlite/sqlite-settings.ts'

const ALL: readonly Readonly<Record<string, string>>[] = [sqliteSettings, postgresSettings, httpSettings, ldapSettings]

/** The settings that the first user store of this checkout needs. */
export const CHOSEN_STORE = ALL[0] ?? {}
