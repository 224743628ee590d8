import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPostgresSettings } from '../../../src/users/postgres/settings.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { mistakesIn, SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { settingsOf } from './fixture.ts'

const URL_OF_OTHER = 'postgres://app:secret@db.example/shop'
const FORM = 'must be postgres://USER:PASSWORD@HOST/DATABASE'
const UNCHECKED = 'does not check the certificate'
const PARAMETERS = 'must have no parameters except sslmode=verify-full'

/** The mistakes in all settings of the app. */
function mistakes(USER_STORE_URL: string, more: Record<string, string> = {}): string[] {
  return mistakesIn({ ...SETTINGS, USER_STORE_URL, ...more })
}

test('an address of PostgreSQL is read, with defaults for its missing parts', () => {
  expect(settingsOf(URL_OF_OTHER)).toEqual({
    kind: 'postgres',
    host: 'db.example',
    port: 5432,
    database: 'shop',
    user: 'app',
    password: 'secret',
    tls: { ca: null },
    poolSize: 10,
    timeoutMs: 5000,
    query: null,
  })
})
test.each([
  ['postgresql://app@db.example:6543/shop', { port: 6543, password: null }],
  ['postgres://a%40b:p%2F%40%23%25%20@db.example/my%20shop', { user: 'a@b', password: 'p/@#% ', database: 'my shop' }],
  ['postgres://app:x@%2Frun%2Fpostgresql/shop', { host: '/run/postgresql', tls: null }],
  ['postgres://app:x@[::1]/shop', { host: '::1', tls: null }],
  ['postgres://app:x@localhost/shop', { tls: null }],
  ['postgres://app:x@127.0.0.2/shop', { tls: null }],
  ['postgres://app:x@localhost/shop?sslmode=require', { tls: { ca: null } }],
  ['postgres://app:x@db.example/shop?sslmode=verify-full', { tls: { ca: null } }],
  ['postgres://app:x@localhost.example/shop', { tls: { ca: null } }],
  ['postgres://app:x@127.0.0.1.example/shop', { tls: { ca: null } }],
  ['postgres://app:x@127.1/shop', { tls: { ca: null } }],
])('the PostgreSQL address %s is accepted', (url, expected) => {
  expect(settingsOf(url)).toMatchObject(expected)
})
test.each([
  ['postgres://db.example/shop', FORM],
  ['postgres://app:x@db.example', FORM],
  ['postgres://app:x@db.example/', FORM],
  ['postgres:shop', FORM],
  ['postgres:///shop', FORM],
  ['postgres://app:pa#ss@db.example/shop', FORM],
  ['postgres://app:p%ss@db.example/shop', FORM],
  ['postgres://app:x@db.example/shop#x', FORM],
  ['postgres://app:x@db.example/sh%00op', FORM],
  ['postgres://a%00b:x@db.example/shop', FORM],
  ['postgres://app:x@db.example:99999/shop', FORM],
  ...['disable', 'allow', 'prefer', 'no-verify'].map((mode) => [`${URL_OF_OTHER}?sslmode=${mode}`, UNCHECKED]),
  ['postgres://app:x@localhost/shop?sslmode=disable', UNCHECKED],
  [`${URL_OF_OTHER}?sslmode=verify-full&sslmode=disable`, UNCHECKED],
  [`${URL_OF_OTHER}?sslmode=verify-full&sslmode=require`, PARAMETERS],
  [`${URL_OF_OTHER}?sslmode=`, PARAMETERS],
  [`${URL_OF_OTHER}?ssl=0`, PARAMETERS],
  [`${URL_OF_OTHER}?host=/tmp`, PARAMETERS],
  [`${URL_OF_OTHER}?options=-c%20x=y`, PARAMETERS],
])('the PostgreSQL address %s is refused', (url = '', words = '') => {
  const [mistake, ...others] = mistakes(url)
  expect(mistake).toMatch(/^USER_STORE_URL /)
  expect(mistake).toContain(words)
  expect(others).toEqual([])
})

test('every setting of PostgreSQL is read', async () => {
  const ca = join(temporaryFolder(), 'ca.pem')
  const { certificate } = await makeCertificate()
  writeFileSync(ca, certificate)
  const environment = {
    POSTGRES_PASSWORD: 'p',
    POSTGRES_CA_FILE: ca,
    POSTGRES_POOL_SIZE: '100',
    POSTGRES_TIMEOUT_SECONDS: '60',
    POSTGRES_QUERY: 'SELECT $1 ; \n',
    POSTGRES_REPLACE_HASH_QUERY: 'UPDATE $1 $2 $3',
  }
  expect(settingsOf('postgres://app@localhost/shop', environment)).toMatchObject({
    password: 'p',
    tls: { ca: certificate },
    poolSize: 100,
    timeoutMs: 60_000,
    query: { select: 'SELECT $1', replaceHash: 'UPDATE $1 $2 $3', acceptsWeakHashes: false },
  })
})
test.each([
  ['POSTGRES_POOL_SIZE', '0', 'must be a whole number from 1 to 100'],
  ['POSTGRES_POOL_SIZE', '1e1', 'must be a whole number from 1 to 100'],
  ['POSTGRES_TIMEOUT_SECONDS', '61', 'must be a whole number from 1 to 60'],
  ['POSTGRES_CA_FILE', '/nonexistent/ca.pem', 'names a file'],
  ['POSTGRES_CA_FILE', '/', 'names a folder'],
  ['POSTGRES_CA_FILE', 'package.json', 'names a file'],
  ['POSTGRES_WEAK_HASHES', 'yes', 'must be accept or refuse'],
  ['POSTGRES_PASSWORD', 'p', 'is set, and USER_STORE_URL has a password too'],
  ['POSTGRES_REPLACE_HASH_QUERY', 'UPDATE', 'needs POSTGRES_QUERY too'],
])('the setting %s=%s is refused', (name, value, words) => {
  expect(mistakes(URL_OF_OTHER, { [name]: value })).toEqual([expect.stringContaining(`${name} ${words}`)])
})
test.each([
  ["SELECT a WHERE b = '%s'", 'UPDATE $1 $2 $3', 'POSTGRES_QUERY has no $1, which is the user name'],
  ['SELECT a WHERE b = ', 'UPDATE $1 $2 $3', 'POSTGRES_QUERY has no $1, which is the user name'],
  ['SELECT $1', 'UPDATE $1 $3', 'POSTGRES_REPLACE_HASH_QUERY has no $2, which is the old hash'],
])(
  'a PostgreSQL query without one of its parameters is refused: %s, %s',
  (POSTGRES_QUERY, POSTGRES_REPLACE_HASH_QUERY, words) => {
    const found = mistakes(URL_OF_OTHER, { POSTGRES_QUERY, POSTGRES_REPLACE_HASH_QUERY })
    expect(found).toEqual([expect.stringContaining(words)])
    const [parameter] = /\$\d/.exec(words) ?? []
    expect(found.join()).toContain(`compose.yaml write $${parameter}`)
  },
)
test('all wrong settings of PostgreSQL are listed, and no message repeats a value', () => {
  const found = mistakes('postgres://marked7@db.example?x=marked7', {
    POSTGRES_POOL_SIZE: 'marked7',
    POSTGRES_TIMEOUT_SECONDS: 'marked7',
    POSTGRES_CA_FILE: 'marked7',
  })
  expect(found).toHaveLength(4)
  expect(found.join()).not.toContain('marked7')
})
test('the password of PostgreSQL can be in a file', () => {
  const file = join(temporaryFolder(), 'password')
  writeFileSync(file, 'p@ss\n')
  expect(mistakes('postgres://app@localhost/shop', { POSTGRES_PASSWORD_FILE: file })).toEqual([])
  expect(mistakes('postgres://app@localhost/shop', { POSTGRES_PASSWORD_FILE: '/nonexistent' })).toEqual([
    'POSTGRES_PASSWORD_FILE names a file that does not exist',
  ])
})

test('an address without a scheme is not read as one of PostgreSQL', () => {
  expect(readPostgresSettings('postgres', {})).toMatchObject({ ok: false })
})
