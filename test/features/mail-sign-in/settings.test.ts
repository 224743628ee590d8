import { expect, test } from 'vitest'
import { mistakesIn, SETTINGS } from '../../settings.ts'
import { sqliteSettings } from '../../users/sqlite/sqlite-settings.ts'

const MAIL = { ...SETTINGS, SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'login@example.com', MAIL_SIGN_IN: 'store' }
const POSTGRES = { USER_STORE_URL: 'postgres://app:x@db.example/app' }
const QUERY = { ...POSTGRES, POSTGRES_QUERY: 'SELECT $1' }
const SERVICE = { USER_STORE_URL: 'https://users.example/in', HTTP_STORE_TOKEN: 'x' }
const LDAP = {
  USER_STORE_URL: 'ldaps://ldap.example',
  LDAP_BIND_DN: 'cn=reader,dc=example',
  LDAP_BIND_PASSWORD: 'x',
  LDAP_SEARCH_BASE: 'dc=example',
}

test.each([
  ['SQLite', sqliteSettings],
  ['the PostgreSQL table of this app', POSTGRES],
  ['a directory that delivers it', { ...LDAP, LDAP_ATTRIBUTES: 'mail=mail' }],
  ['a login service with a look-up', { ...SERVICE, HTTP_STORE_FIND_URL: 'https://users.example/find' }],
])('an attribute with the address is accepted with %s', (_with, store) => {
  expect(mistakesIn({ ...MAIL, ...store, MAIL_SIGN_IN_ATTRIBUTE: 'mail' })).toEqual([])
})

test.each([
  ['a query of the customer', QUERY, 'POSTGRES_QUERY finds viewers by the user name alone'],
  ['a directory that does not deliver it', { ...LDAP, LDAP_ATTRIBUTES: 'seat=roomNumber' }, 'needs LDAP_ATTRIBUTES'],
  ['a login service without a look-up', SERVICE, 'needs HTTP_STORE_FIND_URL'],
])('an attribute with the address is one mistake with %s', (_with, store, words) => {
  const [mistake, ...others] = mistakesIn({ ...MAIL, ...store, MAIL_SIGN_IN_ATTRIBUTE: 'mail' })
  expect(mistake).toMatch(/^MAIL_SIGN_IN_ATTRIBUTE /)
  expect(mistake).toContain(words)
  expect(others).toEqual([])
})

test('a name that no attribute has is refused', () => {
  const mistakes = mistakesIn({ ...MAIL, MAIL_SIGN_IN_ATTRIBUTE: 'a=b' })
  expect(mistakes).toEqual(['MAIL_SIGN_IN_ATTRIBUTE must be username, or an attribute'])
})
