import type { UserStoreKind } from '../user-store-kind.ts'
import { isLdapUrl, LdapStoreEnvironment, type LdapStoreSettings, readLdapStoreSettings } from './settings.ts'

/** Viewers in an LDAP directory or Active Directory. */
export const ldapStore: UserStoreKind<LdapStoreSettings> = {
  kind: 'ldap',
  urlForm: 'ldaps://HOST',
  isUrl: isLdapUrl,
  settings: LdapStoreEnvironment.shape,
  read: readLdapStoreSettings,
  faultInLookup: ({ attributes }, attribute) =>
    attributes.some(({ name }) => name === attribute)
      ? null
      : `needs LDAP_ATTRIBUTES with it, such as ${attribute}=mail`,
  async open(settings, warn) {
    const { openLdapStore } = await import('./store.ts')
    return openLdapStore(settings, { warn })
  },
}
