import { expect, test } from 'vitest'
import { readConfig, readSharedStores, settingNames } from '../../src/config.ts'
import { mistakesIn, SETTINGS } from '../settings.ts'

/** Settings without which more viewers get in, or a weaker default holds: a look-alike stops the start. */
const GUARDS = [
  'ALLOWED_GROUPS',
  'CONTEXT_WORDS',
  'ENTRY_POINTS_FILE',
  'HTTP_STORE_FIND_URL',
  'LDAP_GROUP_BASE',
  'LDAP_GROUP_FILTER',
  'LDAP_USER_FILTER',
  'LIMITS_STORE_URL',
  'LIMITS_STORE_URL_FILE',
  'POSTGRES_CA_FILE',
  'POSTGRES_QUERY',
  'REDIS_KEY_PREFIX',
  'RETURNING_VIEWERS',
  'OIDC_TENANTS',
  'SESSION_STORE_URL',
  'SESSION_STORE_URL_FILE',
  'SMTP_CA_FILE',
  'USER_STORE_URL',
  'USER_STORE_URL_FILE',
]
/** Settings without which the app is closed, slower or silent, or keeps a safe default: a look-alike is a warning. */
const OTHERS = [
  'BRAND_COLOR',
  'BRAND_COLOR_DARK',
  'BRAND_LOGO_DARK_FILE',
  'BRAND_LOGO_FILE',
  'BRAND_NAME',
  'BRAND_TITLE',
  'COLOR_SCHEME',
  'DEFAULT_LANGUAGE',
  'FORGOT_PASSWORD_URL',
  'HASH_CONSUMERS',
  'HASH_LIFETIME_SECONDS',
  'HASH_PARAMETERS',
  'HASH_SECRET_PREVIOUS',
  'HASH_SECRET_PREVIOUS_FILE',
  'HTTP_STORE_CA_FILE',
  'HTTP_STORE_TIMEOUT_SECONDS',
  'HTTP_STORE_TOKEN',
  'HTTP_STORE_TOKEN_FILE',
  'LDAP_ATTRIBUTES',
  'LDAP_BIND_DN',
  'LDAP_BIND_PASSWORD',
  'LDAP_BIND_PASSWORD_FILE',
  'LDAP_CA_FILE',
  'LDAP_SEARCH_BASE',
  'LDAP_START_TLS',
  'LDAP_TIMEOUT_SECONDS',
  'LDAP_USERNAME_ATTRIBUTE',
  'LOG_LEVEL',
  'MAIL_FROM',
  'METRICS_PORT',
  'OIDC_ATTRIBUTES',
  'CONTENT_KEY',
  'CONTENT_KEY_FILE',
  'REF_ADDRESSES',
  'SERVICE_VIEWER_KEY_URL',
  'TOKEN_SUBJECT',
  'VIEWER_AUTH',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_KEY_FILE',
  'OIDC_CLIENT_SECRET',
  'OIDC_CLIENT_SECRET_FILE',
  'OIDC_GROUPS_CLAIM',
  'OIDC_ISSUER',
  'OIDC_LABEL',
  'OIDC_SCOPES',
  'OIDC_USERNAME_CLAIM',
  'POSTGRES_PASSWORD',
  'POSTGRES_PASSWORD_FILE',
  'POSTGRES_POOL_SIZE',
  'POSTGRES_REPLACE_HASH_QUERY',
  'POSTGRES_TIMEOUT_SECONDS',
  'POSTGRES_WEAK_HASHES',
  'REDIS_CA_FILE',
  'RESET_MAILS_PER_HOUR',
  'RESET_MAIL_ATTRIBUTE',
  'SESSIONS_PER_VIEWER',
  'SCREEN_SCRIPT',
  'SECURITY_LOG_FILE',
  'SESSION_IDLE_SECONDS',
  'SESSION_LIFETIME_SECONDS',
  'SESSION_SECRET_PREVIOUS',
  'SESSION_SECRET_PREVIOUS_FILE',
  'SHUTDOWN_DELAY_SECONDS',
  'SSO_SESSION_SECONDS',
  'SMTP_URL_FILE',
  'SIGN_IN_LIMIT_PER_ADDRESS',
  'LIMITS_TRUSTED_NETWORKS',
  'TRUST_PROXY_HOPS',
  'TERMS_URL',
  'USERNAME_KIND',
]
/** Settings without which the app does not start. */
const REQUIRED = ['PUBLIC_URL', 'HASH_SECRET', 'SESSION_SECRET', 'PLAYER_RETURN_URL', 'PLAYER_ORIGINS'] as const
const REQUIRED_AS_FILES = ['HASH_SECRET_FILE', 'SESSION_SECRET_FILE']
/** Their look-alikes belong to other programs. */
const TOO_SHORT = ['HELP_URL', 'HOST', 'PASSKEYS', 'PORT', 'SMTP_URL', 'SSO_CODE', 'SSO_ONLY']

const misspelt = (name: string) => name.replace('_', '')
const hint = (name: string, meant = name) => `Unknown setting ${misspelt(name)}. Did you mean ${meant}?`

test('every setting is one whose look-alike stops the start, or one whose look-alike is a warning', () => {
  const decided = [...GUARDS, ...OTHERS, ...REQUIRED, ...REQUIRED_AS_FILES, ...TOO_SHORT]
  expect(decided.toSorted()).toEqual(settingNames().toSorted())
})

test.each(GUARDS)('a look-alike of %s stops the start', (name) => {
  expect(mistakesIn({ ...SETTINGS, [misspelt(name)]: 'x' })).toEqual([hint(name)])
})

test.each([...OTHERS, ...REQUIRED, ...REQUIRED_AS_FILES])('a look-alike of %s is a warning', (name) => {
  expect(readConfig({ ...SETTINGS, [misspelt(name)]: 'x' }).warnings).toEqual([hint(name)])
})

test.each(REQUIRED)('a look-alike is named with the sentence that %s is missing', (name) => {
  const { [name]: value, ...others } = SETTINGS
  const mistakes = mistakesIn({ ...others, [misspelt(name)]: value })
  expect(mistakes).toEqual([expect.stringMatching(`^${name} is required`), hint(name)])
})

test.each([
  ['ALLOWED_GROUPS', 'staff'],
  ['SESSION_STORE_URL', 'sqlite:data/sessions.db'],
])('a look-alike of %s is a warning once that setting is there', (name, value) => {
  const environment = { ...SETTINGS, [misspelt(name)]: 'x', [name]: value }
  expect(readConfig(environment).warnings).toEqual([hint(name)])
})

test.each([
  ['ALOWED_GROUPS', 'ALLOWED_GROUPS'],
  ['ALLOWED_GROUP', 'ALLOWED_GROUPS'],
  ['POSTGRES_QEURY', 'POSTGRES_QUERY'],
  ['USER_STORE_URLFILE', 'USER_STORE_URL_FILE'],
  ['LDAP_USER_FILER', 'LDAP_USER_FILTER'],
])('%s is recognised as %s', (name, meant) => {
  expect(mistakesIn({ ...SETTINGS, [name]: 'x' })).toEqual([`Unknown setting ${name}. Did you mean ${meant}?`])
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
])('%s, which other programs use, is no look-alike', (name) => {
  expect(readConfig({ ...SETTINGS, [name]: 'anything' }).warnings).toEqual([])
})

test('a command that needs only the stores is stopped by a look-alike of a store, not by LOGLEVEL', () => {
  expect(readSharedStores({ LOGLEVEL: 'info' }).limitsStore).toEqual({ kind: 'memory' })
  expect(() => readSharedStores({ LIMIT_STORE_URL: 'redis://redis' })).toThrow('Did you mean LIMITS_STORE_URL?')
})
