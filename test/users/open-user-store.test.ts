import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { httpStore } from '../../src/users/http/kind.ts'
import { userStores } from '../../src/users/open-user-store.ts'
import { sqliteStore } from '../../src/users/sqlite/kind.ts'
import { userStoreList } from '../../src/users/user-store-list.ts'
import { jsonStore } from './json/kind.ts'

const DIRECTORY = { LDAP_BIND_DN: 'cn=reader', LDAP_BIND_PASSWORD: 'x', LDAP_SEARCH_BASE: 'dc=example' }
const SERVICE = { HTTP_STORE_TOKEN: 'x' }

function wrongSettings(environment: Record<string, string>, stores = userStores): unknown[] {
  const { error } = stores.environment.safeParse(environment)
  return error?.issues.map(({ path }) => path[0]) ?? []
}

function messageOf(environment: Record<string, string>, stores = userStores): string {
  return stores.environment.safeParse(environment).error?.issues[0]?.message ?? ''
}

describe('USER_STORE_URL', () => {
  test.each([
    [{}, 'data/viewers.db'],
    [{ USER_STORE_URL: 'sqlite:data/other.db' }, 'data/other.db'],
    [{ USER_STORE_URL: 'sqlite:/var/lib/app/viewers.db' }, '/var/lib/app/viewers.db'],
    [{ USER_STORE_URL: 'sqlite:C:\\data\\viewers.db' }, 'C:\\data\\viewers.db'],
  ])('the environment %j chooses the SQLite file %s', (environment, file) => {
    expect(userStores.environment.parse(environment)).toEqual({ kind: 'sqlite', file })
  })

  test.each([
    ['ldaps://directory.example', 'ldap', DIRECTORY],
    ['LDAP://directory.example', 'ldap', DIRECTORY],
    ['https://users.example/sign-in', 'http', SERVICE],
  ])('%s chooses the %s store, which opens without a request to it', async (USER_STORE_URL, kind, settings) => {
    const chosen = userStores.environment.parse({ USER_STORE_URL, ...settings })
    expect(chosen.kind).toBe(kind)
    const store = await userStores.open(chosen)
    await store.close()
  })

  test.each(['', 'sqlite:', 'sqlite://data/viewers.db', 'sqlite::memory:', 'viewers.db', 'ftp://x', 'SQLITE'])(
    'the value %j is refused, and the message lists the forms of all stores',
    (url) => {
      expect(wrongSettings({ USER_STORE_URL: url })).toEqual(['USER_STORE_URL'])
      expect(messageOf({ USER_STORE_URL: url })).toMatch(/sqlite:FILE.*postgres:.*ldaps:.*https:/)
    },
  )

  test('a password in a refused value is not repeated in the message', () => {
    expect(messageOf({ USER_STORE_URL: 'mysql://app:hunter2@db/users' })).not.toContain('hunter2')
  })

  test('a setting of another store than the chosen one is refused by name', () => {
    const environment = { USER_STORE_URL: 'ldaps://directory.example', ...DIRECTORY, ...SERVICE }
    expect(wrongSettings(environment)).toEqual(['HTTP_STORE_TOKEN'])
  })
})

test.each([
  ['ldaps://directory.example', DIRECTORY],
  ['https://users.example/sign-in', SERVICE],
])('the viewers of %s cannot be changed or migrated by this app', async (url, settings) => {
  const chosen = userStores.environment.parse({ USER_STORE_URL: url, ...settings })
  await expect(userStores.openEditable(chosen)).rejects.toThrow(ConfigError)
  await expect(userStores.migrate(chosen)).rejects.toThrow(ConfigError)
})

describe('a store that a fork adds to the list', () => {
  const withOwn = userStoreList('json:viewers.json', [sqliteStore, httpStore, jsonStore])

  test('is chosen by its URL beside the other stores', () => {
    expect(withOwn.environment.parse({})).toEqual({ kind: 'json', file: 'viewers.json' })
    expect(withOwn.environment.parse({ USER_STORE_URL: 'sqlite:x.db' })).toEqual({ kind: 'sqlite', file: 'x.db' })
  })

  test('is named in the message about a wrong URL', () => {
    expect(messageOf({ USER_STORE_URL: 'x' }, withOwn)).toContain('json:FILE')
  })

  test('refuses the settings of other stores', () => {
    expect(wrongSettings({ USER_STORE_URL: 'json:x', HTTP_STORE_TOKEN: 'x' }, withOwn)).toEqual(['HTTP_STORE_TOKEN'])
  })

  test('is refused by the commands that change viewers while it has no openEditable', async () => {
    await expect(withOwn.openEditable(withOwn.environment.parse({}))).rejects.toThrow(ConfigError)
  })

  test('is the example of the README, word for word', () => {
    const code = readFileSync(new URL('json/kind.ts', import.meta.url), 'utf8')
    const readme = readFileSync(new URL('../../src/users/README.md', import.meta.url), 'utf8')
    expect(readme).toContain(code.replaceAll('../../../src/users/', '../'))
  })
})
