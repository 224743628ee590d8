import type { LdapStoreSettings } from '../../../src/users/ldap/settings.ts'
import { PEOPLE, type SlapdServer } from './slapd.ts'

/** Settings for a test directory, without encryption by default. */
export function ldapSettings(
  { ldapUrl, reader }: Pick<SlapdServer, 'ldapUrl' | 'reader'>,
  more: Partial<LdapStoreSettings> = {},
): LdapStoreSettings {
  return {
    kind: 'ldap',
    url: ldapUrl,
    startTls: false,
    ca: null,
    bindDn: reader.dn,
    bindPassword: reader.password,
    searchBase: PEOPLE,
    userFilter: '(uid={username})',
    usernameAttribute: 'uid',
    attributes: [
      { name: 'department', attribute: 'departmentNumber' },
      { name: 'employee_number', attribute: 'employeeNumber' },
    ],
    groups: null,
    domain: null,
    timeoutMs: 5_000,
    ...more,
  }
}
