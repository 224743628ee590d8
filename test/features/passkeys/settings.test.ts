import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { mistakesIn, SETTINGS } from '../../settings.ts'
import { sqliteSettings } from '../../users/sqlite/sqlite-settings.ts'

const PROVIDER = { OIDC_ISSUER: 'https://idp.example', OIDC_CLIENT_ID: 'kit', OIDC_CLIENT_SECRET: 'x' }

function passkeysWith(settings: Readonly<Record<string, string>>): boolean[] {
  return readConfig({ ...SETTINGS, PASSKEYS: 'on', ...settings }).entryPoints.map(
    ({ features }) => 'passkeys' in features,
  )
}

test.each([
  ['SQLite', sqliteSettings],
  ['the PostgreSQL table of this app', { USER_STORE_URL: 'postgres://app:x@db.example/app' }],
  ['a laptop', { PUBLIC_URL: 'http://localhost:3000' }],
  ['single sign-on beside the password form', PROVIDER],
])('PASSKEYS=on is accepted with %s', (_with, settings) => {
  expect(passkeysWith(settings)).toEqual([true])
})

test.each([
  [
    'a query of the customer',
    { USER_STORE_URL: 'postgres://app:x@db.example/app', POSTGRES_QUERY: 'SELECT $1' },
    'USER_STORE_URL',
  ],
  ['a login service', { USER_STORE_URL: 'https://users.example/in', HTTP_STORE_TOKEN: 'x' }, 'USER_STORE_URL'],
  ['an IP address', { PUBLIC_URL: 'https://192.0.2.1' }, 'PUBLIC_URL'],
  ['an IP address of this machine', { PUBLIC_URL: 'http://127.0.0.1:3000' }, 'PUBLIC_URL'],
  ['an IPv6 address', { PUBLIC_URL: 'https://[2001:db8::1]' }, 'PUBLIC_URL'],
  ['no password form', { ...PROVIDER, SSO_ONLY: 'on' }, 'SSO_ONLY'],
])('PASSKEYS=on with %s is one mistake', (_with, settings, name) => {
  const [mistake, ...others] = mistakesIn({ ...SETTINGS, PASSKEYS: 'on', ...settings })
  expect(mistake).toMatch(/^PASSKEYS needs /)
  expect(mistake).toContain(name)
  expect(others).toEqual([])
  expect(mistakesIn({ ...SETTINGS, PASSKEYS: 'off', ...settings })).toEqual([])
})
