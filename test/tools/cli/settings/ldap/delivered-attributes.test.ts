import { expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../run-here.ts'

const DIRECTORY = {
  ...SETTINGS,
  USER_STORE_URL: 'ldaps://directory.example.com',
  LDAP_BIND_DN: 'cn=reader,dc=example,dc=com',
  LDAP_BIND_PASSWORD: 'secret',
  LDAP_SEARCH_BASE: 'ou=people,dc=example,dc=com',
}

test.each([
  ['delivers', 'mail=mail', 0, ''],
  ['does not deliver', 'post=mail', 1, 'LDAP_ATTRIBUTES delivers no mail, which entry point default sends'],
])('config check: LDAP_ATTRIBUTES %s a hash parameter', async (_case, attributes, expected, message) => {
  const env = { ...DIRECTORY, HASH_PARAMETERS: 'user=username,mail=mail', LDAP_ATTRIBUTES: attributes }
  const { status, stderr } = await runHere(['config', 'check'], { cwd: temporaryFolder(), env })
  expect([status, stderr]).toEqual([expected, expect.stringContaining(message)])
})
