import type { Config } from '../../../../config.ts'
import type { LdapStoreSettings } from '../../../../users/ldap/settings.ts'

function isLdap(store: Config['userStore']): store is LdapStoreSettings {
  return store.kind === 'ldap'
}

/** Lists the attributes that an entry point sends and LDAP_ATTRIBUTES does not deliver: all passwords are then refused. */
export function undeliveredAttributes({ userStore, entryPoints }: Pick<Config, 'userStore' | 'entryPoints'>): string[] {
  if (!isLdap(userStore)) return []
  const delivered = ['username', ...userStore.attributes.map(({ name }) => name)]
  return entryPoints
    .filter(({ hasPasswordForm }) => hasPasswordForm)
    .flatMap(({ name, parameters }) => {
      const missing = parameters.map(({ attribute }) => attribute).filter((attribute) => !delivered.includes(attribute))
      if (missing.length === 0) return []
      return `LDAP_ATTRIBUTES delivers no ${missing.join(', ')}, which entry point ${name} sends: the app refuses every password. Add ${missing.map((attribute) => `${attribute}=ATTRIBUTE OF THE DIRECTORY`).join(', ')}.`
    })
}
