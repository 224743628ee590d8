export const ldapSettings = {
  USER_STORE_URL: 'ldaps://directory.example',
  LDAP_BIND_DN: 'cn=reader',
  LDAP_BIND_PASSWORD: 'x',
  LDAP_SEARCH_BASE: 'dc=example',
}
