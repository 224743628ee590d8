import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig, settingNames } from '../../src/config.ts'
import { userStores } from '../../src/users/open-user-store.ts'
import { ServiceEnvironment } from '../../src/video-service/service-settings.ts'
import { mistakesIn, SETTINGS } from '../settings.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const EXAMPLE = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** Lines of .env.example such as `NAME=value` or, for a setting that has a default, `#NAME=default`. */
const LINES = [...EXAMPLE.matchAll(/^(#?)([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, hash, name = '', value = '']) => ({
  isDefault: hash === '#',
  name,
  value,
}))

/** The rows of each table, a row as the texts of its columns. */
const TABLES = README.split(/\n(?!\|)/).map((block) => {
  const lines = block.split('\n').filter((line) => line.startsWith('|'))
  return lines.map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
})

/** Those of the command line, which the login app does without. */
const SERVICE = Object.keys(ServiceEnvironment.in.shape)
const SERVICE_REQUIRED = SERVICE.filter((name) => name !== 'SERVICE_BASIC_FORM')

/** Those of one user store each, with what chooses it. The login app does without those of the others. */
const STORES: readonly { prefix: string; chosen: Readonly<Record<string, string>> }[] = [
  { prefix: 'POSTGRES_', chosen: { USER_STORE_URL: 'postgres://app:x@db.example/app' } },
  {
    prefix: 'LDAP_',
    chosen: {
      USER_STORE_URL: 'ldaps://directory.example',
      LDAP_BIND_DN: 'cn=reader,dc=example',
      LDAP_BIND_PASSWORD: 'x',
      LDAP_SEARCH_BASE: 'dc=example',
    },
  },
  {
    prefix: 'HTTP_STORE_',
    chosen: { USER_STORE_URL: 'https://users.example/sign-in', HTTP_STORE_TOKEN: 'x' },
  },
]

describe('.env.example', () => {
  test('names every setting, once, and no other', () => {
    const names = LINES.map(({ name }) => name)
    expect(names.toSorted()).toEqual([...settingNames().filter(isNotNamedFile), ...SERVICE].toSorted())
  })
  test('says that a secret may be in a file', () => {
    const files = [...settingNames().filter((setting) => !isNotNamedFile(setting)), 'SERVICE_CLIENT_SECRET_FILE']
    for (const name of files) expect(EXAMPLE).toContain(name)
  })
  test('leaves open exactly what has no default', () => {
    const open = LINES.filter(({ isDefault }) => !isDefault)
    expect(open.map(({ name }) => name).toSorted()).toEqual([...Object.keys(SETTINGS), ...SERVICE_REQUIRED].toSorted())
    expect(open.every(({ value }) => value === '')).toBe(true)
  })
  test('shows the defaults as they are', () => {
    const defaults = Object.fromEntries(
      LINES.filter(({ isDefault, name }) => isDefault && !isOfStore(name)).map(({ name, value }) => [name, value]),
    )
    expect(readConfig({ ...defaults, ...SETTINGS })).toEqual(readConfig(SETTINGS))
    expect(ServiceEnvironment.in.shape.SERVICE_BASIC_FORM.parse(undefined)).toBe(defaults.SERVICE_BASIC_FORM)
  })
  test.each(STORES)('shows the defaults of $prefix… as they are', ({ prefix, chosen }) => {
    const lines = LINES.filter(({ name }) => name.startsWith(prefix) && !(name in chosen))
    expect(lines.some(({ value }) => value !== '')).toBe(true)
    const defaults = Object.fromEntries(lines.map(({ name, value }) => [name, value]))
    expect(readConfig({ ...SETTINGS, ...chosen, ...defaults })).toEqual(readConfig({ ...SETTINGS, ...chosen }))
  })
  test('explains each setting, or each group of them, in a comment above', () => {
    for (const block of EXAMPLE.split('\n\n').slice(1)) expect(block).toMatch(/^# [^\n]{10,}\n(# .*\n)*#?[A-Z]/)
  })
})

describe("the README's table of settings", () => {
  const tables = TABLES.filter((rows) => rows.some(([names]) => inBackticks(names).includes('PUBLIC_URL')))
  const rows = tables.flat().filter(([names]) => inBackticks(names).length > 0)
  test('is one table', () => {
    expect(tables).toHaveLength(1)
  })
  test('names every setting, once, and no other', () => {
    const expected = settingNames().filter((name) => !isOfStore(name))
    expect(rows.flatMap(([names]) => inBackticks(names)).toSorted()).toEqual(expected.toSorted())
  })
  test('says of those that have no default, and of no others, that they are required', () => {
    const isRequired = rows.filter((row) => row.at(-1)?.trim() === 'required')
    const names = isRequired.flatMap(([first]) => inBackticks(first)).filter(isNotNamedFile)
    expect(names.toSorted()).toEqual(Object.keys(SETTINGS).toSorted())
  })
  test('shows the defaults as they are', () => {
    const defaults: Record<string, string> = {}
    for (const row of rows) {
      const values = inBackticks(row.at(-1))
      for (const [index, name] of inBackticks(row[0]).entries()) defaults[name] = values[index] ?? ''
    }
    expect(Object.values(defaults).filter((value) => value !== '').length).toBeGreaterThan(8)
    expect(readConfig({ ...defaults, ...SETTINGS })).toEqual(readConfig(SETTINGS))
  })
})

describe.each(STORES)("the README's table of $prefix…", ({ prefix, chosen }) => {
  const rows = TABLES.flat().filter(([names]) => inBackticks(names).some((name) => name.startsWith(prefix)))
  test('names every setting of the store, once', () => {
    const names = rows.flatMap(([first]) => inBackticks(first))
    expect(names.toSorted()).toEqual(
      settingNames()
        .filter((name) => name.startsWith(prefix))
        .toSorted(),
    )
  })
  test('shows the defaults as they are', () => {
    const pairs = rows.map((row) => [inBackticks(row[0])[0] ?? '', inBackticks(row.at(-1))[0] ?? ''])
    const defaults = Object.fromEntries(pairs.filter(([name = '']) => !(name in chosen)))
    expect(Object.values(defaults).some((value) => value !== '')).toBe(true)
    expect(readConfig({ ...SETTINGS, ...chosen, ...defaults })).toEqual(readConfig({ ...SETTINGS, ...chosen }))
  })
  test('says of those that have no default that they are required', () => {
    const required = rows.filter((row) => row.at(-1)?.trim() === 'required').map(([names]) => inBackticks(names)[0])
    expect(required.toSorted()).toEqual(
      Object.keys(chosen)
        .filter((name) => name !== 'USER_STORE_URL')
        .toSorted(),
    )
  })
})

describe("the README's file of entry points", () => {
  test('is accepted as it stands, with a secret in the place of its file', () => {
    const json = /```json\n(\[[^`]*"playerReturnUrl"[^`]*)```/.exec(README)?.[1] ?? ''
    const file = join(temporaryFolder(), 'entry-points.json')
    writeFileSync(file, json.replace(/"secretFile": "[^"]*"/, `"secret": "${SETTINGS.HASH_SECRET}"`))
    const { PUBLIC_URL, SESSION_SECRET } = SETTINGS
    expect(mistakesIn({ PUBLIC_URL, SESSION_SECRET, ENTRY_POINTS_FILE: file })).toEqual([])
  })
})

function inBackticks(column = ''): string[] {
  return [...column.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
}

/** Of one user store alone, or the file of such a one. */
function isOfStore(name: string): boolean {
  return userStores.settingNames.some((setting) => name === setting || name === `${setting}_FILE`)
}

function isNotNamedFile(name: string): boolean {
  return !/^(HASH_SECRET|SESSION_SECRET|(USER|SESSION|LIMITS)_STORE_URL|[A-Z_]+_(PASSWORD|TOKEN))_FILE$/.test(name)
}
