import { expect, test } from 'vitest'
import { z } from 'zod'
import { ConfigError } from '../../src/errors.ts'
import { migrateUserStore, openEditableUserStore } from '../../src/users/editable-user-store.ts'
import { openUserStore, UserStoreEnvironment } from '../../src/users/open-user-store.ts'

test.each([
  [{}, 'data/viewers.db'],
  [{ USER_STORE_URL: 'sqlite:data/other.db' }, 'data/other.db'],
  [{ USER_STORE_URL: 'sqlite:/var/lib/app/viewers.db' }, '/var/lib/app/viewers.db'],
  [{ USER_STORE_URL: 'sqlite:C:\\data\\viewers.db' }, 'C:\\data\\viewers.db'],
])('the environment %j chooses the embedded store in a file', (environment, file) => {
  expect(UserStoreEnvironment.parse(environment)).toEqual({ kind: 'sqlite', file })
})

test.each(['', 'sqlite:', 'sqlite://data/viewers.db', 'sqlite::memory:', 'viewers.db', 'ftp://x', 'SQLITE'])(
  'USER_STORE_URL cannot be %j, and the setting is named',
  (url) => {
    const { error } = UserStoreEnvironment.safeParse({ USER_STORE_URL: url })
    expect(error?.issues).toHaveLength(1)
    expect(error?.issues[0]?.path).toEqual(['USER_STORE_URL'])
    expect(z.prettifyError(error ?? new z.ZodError([]))).toContain('must be sqlite:FILE')
  },
)

test('an address with a password is not repeated in the message', () => {
  const { error } = UserStoreEnvironment.safeParse({ USER_STORE_URL: 'mysql://app:hunter2@db/users' })
  expect(JSON.stringify(error?.issues)).not.toContain('hunter2')
})

const DIRECTORY = { LDAP_BIND_DN: 'cn=reader', LDAP_BIND_PASSWORD: 'x', LDAP_SEARCH_BASE: 'dc=example' }

const LOOKED_AFTER_ELSEWHERE = 'The viewers are in the store of USER_STORE_URL: look after them there.'

test.each([
  ['ldaps://directory.example', 'ldap', DIRECTORY],
  ['LDAP://directory.example', 'ldap', DIRECTORY],
  ['https://users.example/sign-in', 'http', { HTTP_STORE_TOKEN: 'x' }],
])('USER_STORE_URL=%s chooses the %s store, which opens without asking it', async (USER_STORE_URL, kind, settings) => {
  const chosen = UserStoreEnvironment.parse({ USER_STORE_URL, ...settings })
  expect(chosen.kind).toBe(kind)
  const store = await openUserStore(chosen)
  await store.close()
})

test.each([
  ['ldaps://directory.example', 'directory', DIRECTORY],
  ['https://users.example/sign-in', 'login service', { HTTP_STORE_TOKEN: 'x' }],
])('the viewers of %s are looked after in the %s, and the command line says so', async (url, where, settings) => {
  const chosen = UserStoreEnvironment.parse({ USER_STORE_URL: url, ...settings })
  await expect(openEditableUserStore(chosen)).rejects.toThrow(ConfigError)
  await expect(migrateUserStore(chosen)).rejects.toThrow(where)
})

test('the viewers of a store that a fork adds are looked after elsewhere, without a word in this file', async () => {
  const own = { kind: 'own' } as unknown as Parameters<typeof openEditableUserStore>[0]
  await expect(openEditableUserStore(own)).rejects.toThrow(new ConfigError(LOOKED_AFTER_ELSEWHERE))
})

test('a setting of a store that was not chosen is named', () => {
  const environment = { USER_STORE_URL: 'ldaps://directory.example', ...DIRECTORY, HTTP_STORE_TOKEN: 'x' }
  const { error } = UserStoreEnvironment.safeParse(environment)
  expect(error?.issues.map(({ path }) => path)).toEqual([['HTTP_STORE_TOKEN']])
})
