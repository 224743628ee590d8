import type { WayIn } from '../../way-in.ts'

const settings = {
  USER_STORE_URL: 'ldap://127.0.0.1:1',
  LDAP_START_TLS: 'off',
  LDAP_BIND_DN: 'cn=reader,dc=example',
  LDAP_BIND_PASSWORD: 'x',
  LDAP_SEARCH_BASE: 'dc=example',
}

export const ldapWay: WayIn = { name: 'a directory that is away', prepare: () => ({ settings }) }
