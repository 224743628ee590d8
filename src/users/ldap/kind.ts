import type { UserStoreKind } from '../user-store-kind.ts'
import { isLdapUrl, LdapStoreEnvironment, type LdapStoreSettings, readLdapStoreSettings } from './settings.ts'

/** Viewers in an LDAP directory or Active Directory. */
export const ldapStore: UserStoreKind<LdapStoreSettings> = {
  kind: 'ldap',
  urlForm: 'ldaps://HOST',
  isUrl: isLdapUrl,
  settings: LdapStoreEnvironment.shape,
  read: readLdapStoreSettings,
  async open(settings, warn) {
    const { openLdapStore } = await import('./store.ts')
    return openLdapStore(settings, { warn })
  },
}
