import { expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { userStores } from '../../src/users/open-user-store.ts'

const DIRECTORY = { LDAP_BIND_DN: 'cn=reader', LDAP_BIND_PASSWORD: 'x', LDAP_SEARCH_BASE: 'dc=example' }
const SERVICE = { HTTP_STORE_TOKEN: 'x' }

function wrongSettings(environment: Record<string, string>): unknown[] {
  const { error } = userStores.environment.safeParse(environment)
  return error?.issues.map(({ path }) => path[0]) ?? []
}

function messageOf(environment: Record<string, string>): string {
  return userStores.environment.safeParse(environment).error?.issues[0]?.message ?? ''
}

test.each([
  ['ldaps://directory.example', 'ldap', DIRECTORY],
  ['LDAP://directory.example', 'ldap', DIRECTORY],
  ['https://users.example/sign-in', 'http', SERVICE],
])('the URL %s chooses the %s store, which opens without a request to it', async (USER_STORE_URL, kind, settings) => {
  const chosen = userStores.environment.parse({ USER_STORE_URL, ...settings })
  expect(chosen.kind).toBe(kind)
  const store = await userStores.open(chosen)
  await store.close()
})

test.each(['', 'sqlite:', 'sqlite://data/viewers.db', 'sqlite::memory:', 'viewers.db', 'ftp://x', 'SQLITE'])(
  'USER_STORE_URL=%j is refused, and the message lists the forms of all stores',
  (url) => {
    expect(wrongSettings({ USER_STORE_URL: url })).toEqual(['USER_STORE_URL'])
    expect(messageOf({ USER_STORE_URL: url })).toMatch(/one of (?:(?:sqlite|postgres|ldaps|https):[^,]*(?:, )?)+$/)
  },
)

test('a password in a refused USER_STORE_URL is not repeated in the message', () => {
  expect(messageOf({ USER_STORE_URL: 'mysql://app:hunter2@db/users' })).not.toContain('hunter2')
})

test('a setting of another store than the chosen one is refused by name', () => {
  const environment = { USER_STORE_URL: 'ldaps://directory.example', ...DIRECTORY, ...SERVICE }
  expect(wrongSettings(environment)).toEqual(['HTTP_STORE_TOKEN'])
})

test.each([
  ['ldaps://directory.example', DIRECTORY],
  ['https://users.example/sign-in', SERVICE],
])('the viewers of %s cannot be changed by this app', async (url, settings) => {
  const chosen = userStores.environment.parse({ USER_STORE_URL: url, ...settings })
  await expect(userStores.openEditable(chosen)).rejects.toThrow(ConfigError)
})
