import { httpStore } from './http/kind.ts'
import { ldapStore } from './ldap/kind.ts'
import { postgresStore } from './postgres/kind.ts'
import { sqliteStore } from './sqlite/kind.ts'
import { userStoreList } from './user-store-list.ts'

/**
 * The stores that USER_STORE_URL can choose. To sign in your own users, add a line here: `README.md` shows the steps.
 */
// biome-ignore format: a store is one line, so that it can be removed
export const userStores = userStoreList([
  sqliteStore, // sqlite:FILE
  postgresStore, // postgres://…
  ldapStore, // ldaps://…
  httpStore, // https://…
])
