import { expect, test } from 'vitest'
import { readConfig, readSharedStores } from '../../src/config.ts'
import { metaOf } from '../../src/settings/setting.ts'
import { KIT_SETTINGS, SCHEMAS } from '../kit-settings.ts'
import { mistakesIn, SETTINGS } from '../settings.ts'
import { CHOSEN_STORE } from '../users/chosen-store.ts'

/** Shorter look-alikes belong to other programs. */
const LEAST_LETTERS = 8
const REQUIRED = Object.keys(SETTINGS).filter(isNotOfStore) as (keyof typeof SETTINGS)[]
const withLookAlike = KIT_SETTINGS.filter(isNotOfStore).filter(
  (name) => name.includes('_') && misspelled(name).length >= LEAST_LETTERS,
)
const [GUARDS, OTHERS] = [true, false].map((isGuard) =>
  withLookAlike.filter(
    (name) => (metaOf(SCHEMAS[name.replace(/_FILE$/, '')] ?? SCHEMAS[name]).protects !== undefined) === isGuard,
  ),
)

/** The settings of the chosen store are set in every test. */
function isNotOfStore(name: string): boolean {
  return !Object.hasOwn(CHOSEN_STORE, name.replace(/_FILE$/, ''))
}

function misspelled(name: string): string {
  return name.replace('_', '')
}
const hint = (name: string, meant = name) => `Unknown setting ${misspelled(name)}. Did you mean ${meant}?`

test('settings that keep viewers out say so', () => {
  expect(SCHEMAS.USER_STORE_URL && metaOf(SCHEMAS.USER_STORE_URL).protects).toBeDefined()
  expect(GUARDS).toEqual(expect.arrayContaining(['ALLOWED_GROUPS', 'ENTRY_POINTS_FILE']))
})

test.each(GUARDS ?? [])('a look-alike of %s stops the start', (name) => {
  expect(mistakesIn({ ...SETTINGS, [name.replace(/_FILE$/, '')]: '', [misspelled(name)]: 'x' })).toContain(hint(name))
})

test.each(OTHERS ?? [])('a look-alike of %s is a warning', (name) => {
  expect(readConfig({ ...SETTINGS, [misspelled(name)]: 'x' }).warnings).toEqual([hint(name)])
})

test.each(REQUIRED)('a look-alike is named with the sentence that %s is missing', (name) => {
  const { [name]: value, ...others } = SETTINGS
  const mistakes = mistakesIn({ ...others, [misspelled(name)]: value })
  expect(mistakes).toHaveLength(2)
  expect(mistakes).toEqual(expect.arrayContaining([expect.stringMatching(`^${name} is required`), hint(name)]))
})

test.each([
  ['ALLOWED_GROUPS', 'staff'],
  ['SESSION_STORE_URL', 'sqlite:data/sessions.db'],
])('a look-alike of %s is a warning once that setting is there', (name, value) => {
  const environment = { ...SETTINGS, [misspelled(name)]: 'x', [name]: value }
  expect(readConfig(environment).warnings).toEqual([hint(name)])
})

test.each([
  ['ALOWED_GROUPS', 'ALLOWED_GROUPS'],
  ['ALLOWED_GROUP', 'ALLOWED_GROUPS'],
  ['POSTGRES_QEURY', 'POSTGRES_QUERY'],
  ['ENTRY_POINTSFILE', 'ENTRY_POINTS_FILE'],
  ['LDAP_USER_FILER', 'LDAP_USER_FILTER'],
])('%s is recognized as %s', (name, meant) => {
  const mistakes = mistakesIn({ ...SETTINGS, USER_STORE_URL: '', [name]: 'x' })
  expect(mistakes).toContain(`Unknown setting ${name}. Did you mean ${meant}?`)
})

test.each([
  ['BRAND_LOGO', 'BRAND_LOGO_FILE'],
  ['SECURITY_LOG', 'SECURITY_LOG_FILE'],
  ['SESSION_SECRET_PREV', 'SESSION_SECRET_PREVIOUS'],
  ['HASH_SECRET_PREV', 'HASH_SECRET_PREVIOUS'],
])('%s lacks the ending of %s, which is a warning', (name, meant) => {
  const { warnings } = readConfig({ ...SETTINGS, [name]: 'x' })
  expect(warnings).toEqual([`Unknown setting ${name}. Did you mean ${meant}?`])
})

test.each([
  'LDAP_USER',
  'POSTGRES_CA',
  'REDIS_CA',
  'SECURITY',
  'SESSION_LIFETIME',
  'SESSION_STORE',
  'HOSTS',
  'PORTS',
  'HOSTNAME',
  'POSTGRES_PORT',
  'REDIS_PORT',
  'HTTP_PROXY',
  'PUBLIC_IP',
  'VIEWER_PASSWORD',
])('%s, which other programs use, is not a look-alike', (name) => {
  expect(readConfig({ ...SETTINGS, [name]: 'anything' }).warnings).toEqual([])
})

test('a command that needs only the stores is stopped by a look-alike of a store, not by LOGLEVEL', () => {
  expect(readSharedStores({ LOGLEVEL: 'info' }).limitsStore).toEqual(expect.any(Object))
  expect(() => readSharedStores({ LIMIT_STORE_URL: 'redis://redis' })).toThrow('Did you mean LIMITS_STORE_URL?')
})
