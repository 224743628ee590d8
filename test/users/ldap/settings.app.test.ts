import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { readLdapStoreSettings } from '../../../src/users/ldap/settings.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { mistakesIn, SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const REQUIRED = {
  PUBLIC_URL: 'https://login.example.com',
  LDAP_BIND_DN: 'cn=reader,dc=example,dc=com',
  LDAP_BIND_PASSWORD: 'MARKER of the reader',
  LDAP_SEARCH_BASE: 'ou=people,dc=example,dc=com',
}

function read(url: string, more: Record<string, string | undefined> = {}) {
  return readLdapStoreSettings(url, { ...REQUIRED, ...more })
}

function mistakesOf(url: string, more: Record<string, string | undefined> = {}): string[] {
  const reading = read(url, more)
  return reading.ok ? [] : reading.mistakes.map(({ setting, message }) => `${setting} ${message}`)
}

test('a directory needs only the required settings', () => {
  expect(read('ldaps://directory.example.com')).toEqual({
    ok: true,
    settings: {
      kind: 'ldap',
      url: 'ldaps://directory.example.com',
      startTls: false,
      ca: null,
      bindDn: REQUIRED.LDAP_BIND_DN,
      bindPassword: REQUIRED.LDAP_BIND_PASSWORD,
      searchBase: REQUIRED.LDAP_SEARCH_BASE,
      userFilter: '(uid={username})',
      usernameAttribute: 'uid',
      attributes: [],
      groups: null,
      domain: null,
      timeoutMs: 5000,
    },
  })
})

test('every setting of a directory is read', async () => {
  const file = join(temporaryFolder(), 'ca.pem')
  const { certificate } = await makeCertificate()
  writeFileSync(file, certificate)
  const reading = read('ldap://[2001:db8::1]:3890/', {
    LDAP_BIND_DN: 'CORP\\reader',
    LDAP_CA_FILE: file,
    LDAP_USERNAME_ATTRIBUTE: 'sAMAccountName',
    LDAP_USER_FILTER: '(&(objectClass=user)(|(mail={username})(samaccountname={username})))',
    LDAP_ATTRIBUTES: 'seat=roomNumber, Straße=street\n',
    LDAP_GROUP_BASE: 'ou=groups,dc=example,dc=com',
    LDAP_GROUP_FILTER: '(member={dn})',
    LDAP_TIMEOUT_SECONDS: '2',
    LDAP_DOMAIN: 'EXAMPLE',
  })
  expect(reading).toMatchObject({
    ok: true,
    settings: {
      url: 'ldap://[2001:db8::1]:3890',
      startTls: true,
      ca: certificate,
      userFilter: '(&(objectClass=user)(|(mail={username})(samaccountname={username})))',
      attributes: [
        { name: 'seat', attribute: 'roomNumber' },
        { name: 'Straße', attribute: 'street' },
      ],
      groups: { base: 'ou=groups,dc=example,dc=com', filter: '(member={dn})' },
      timeoutMs: 2000,
      domain: 'EXAMPLE',
    },
  })
})

test('the LDAP filters have defaults that follow LDAP_GROUP_BASE and LDAP_USERNAME_ATTRIBUTE', () => {
  const reading = read('ldaps://d', { LDAP_GROUP_BASE: 'ou=groups', LDAP_USERNAME_ATTRIBUTE: 'mail' })
  expect(reading).toMatchObject({
    settings: { groups: { base: 'ou=groups', filter: '(member={dn})' }, userFilter: '(mail={username})' },
  })
})

test('all missing settings of a directory are listed', () => {
  const missing = { LDAP_BIND_DN: undefined, LDAP_BIND_PASSWORD: undefined, LDAP_SEARCH_BASE: undefined }
  expect(mistakesOf('ldaps://d', missing)).toEqual([
    expect.stringMatching(/^LDAP_BIND_DN is required: /),
    expect.stringMatching(/^LDAP_BIND_PASSWORD is required: /),
    expect.stringMatching(/^LDAP_SEARCH_BASE is required: /),
  ])
})

test('LDAP_START_TLS can be off only for a directory and an app on this machine', () => {
  const off = { LDAP_START_TLS: 'off' }
  const refusal = [expect.stringContaining('LDAP_START_TLS can be off only')]
  expect(mistakesOf('ldap://directory.example.com', off)).toEqual(refusal)
  expect(mistakesOf('ldap://localhost', off)).toEqual(refusal)
  expect(mistakesOf('ldap://localhost.example.com', { ...off, PUBLIC_URL: 'http://localhost:3000' })).toEqual(refusal)
  const onLaptop = read('ldap://127.0.0.1:389', { ...off, PUBLIC_URL: 'http://localhost:3000' })
  expect(onLaptop).toMatchObject({ ok: true, settings: { startTls: false } })
  expect(read('ldap://127.0.0.1')).toMatchObject({ ok: true, settings: { startTls: true } })
  expect(read('ldaps://d', off)).toMatchObject({ ok: true, settings: { startTls: false } })
})

test.each([
  'ldap:',
  'ldap://',
  'ldaps:///dc=example',
  'ldaps://directory/dc=example',
  'ldaps://directory?x',
  'ldaps://directory#x',
  'ldaps://cn=x:MARKER@directory',
  'ldaps://@directory',
  'ldaps://directory:x',
  'ldaps://directory:0',
  'ldaps://directory,MARKER',
  'ldaps://*',
  'ldaps://d\u00fcsseldorf.example',
  'ldaps:directory',
])('the directory address %s is refused, and the message does not repeat it', (url) => {
  expect(mistakesOf(url)).toEqual([expect.stringMatching(/^USER_STORE_URL must be ldaps:\/\/HOST or/)])
  expect(mistakesOf(url).join()).not.toContain('MARKER')
})

test.each([
  ['LDAP_BIND_DN', 'EXTERNAL', 'must be a DN or a name such as'],
  ['LDAP_BIND_DN', 'reader', 'must be a DN or a name such as'],
  ['LDAP_CA_FILE', '/nonexistent/ca.pem', 'names a file'],
  ['LDAP_CA_FILE', 'package.json', 'names a file'],
  ['LDAP_START_TLS', 'no', 'must be on or off'],
  ['LDAP_TIMEOUT_SECONDS', '0', 'must be a whole number from 1 to 60'],
  ['LDAP_TIMEOUT_SECONDS', '61', 'must be a whole number from 1 to 60'],
  ['LDAP_USERNAME_ATTRIBUTE', 'uid)(x', 'must be the name of an attribute'],
  ['LDAP_USER_FILTER', 'uid={username}', 'must be a filter in parentheses'],
  ['LDAP_USER_FILTER', '(uid={username})(x=y)', 'must be a filter in parentheses'],
  ['LDAP_USER_FILTER', '(&(uid={username})', 'must be a filter in parentheses'],
  ['LDAP_USER_FILTER', ')(uid={username})(', 'must be a filter in parentheses'],
  ['LDAP_USER_FILTER', '(mail={username})', 'must contain (ATTRIBUTE={username})'],
  ['LDAP_USER_FILTER', '(uid=ada)', 'must contain (ATTRIBUTE={username})'],
  ['LDAP_USER_FILTER', '(&(uid={username})({username}=x))', 'must contain {username} after a "="'],
  ['LDAP_USER_FILTER', '(|(uid={username})(mail={user}))', 'must contain {username} after a "="'],
  ['LDAP_USER_FILTER', '(&(uid={username})(manager={dn}))', 'must contain {username} after a "="'],
  ['LDAP_SEARCH_BASE', 'people', 'must be a DN'],
  ['LDAP_SEARCH_BASE', 'example.com', 'must be a DN'],
  ['LDAP_GROUP_BASE', 'groups', 'must be a DN'],
  ['LDAP_ATTRIBUTES', 'seat', 'must list name=attribute'],
  ['LDAP_ATTRIBUTES', 'seat=', 'must list name=attribute'],
  ['LDAP_ATTRIBUTES', '=room', 'must list name=attribute'],
  ['LDAP_ATTRIBUTES', 'a=b=c', 'must list name=attribute'],
  ['LDAP_ATTRIBUTES', 'seat=room,seat=desk', 'must list name=attribute'],
  ['LDAP_ATTRIBUTES', 'username=uid', 'must list name=attribute'],
  ['LDAP_ATTRIBUTES', '__proto__=uid', 'must list name=attribute'],
  ['LDAP_ATTRIBUTES', 'seat=*', 'must list name=attribute'],
  ['LDAP_ATTRIBUTES', 'id=dn', 'must list name=attribute'],
  ['LDAP_GROUP_FILTER', '(member={dn})', 'needs LDAP_GROUP_BASE'],
])('the setting %s=%s is refused', (setting, value, message) => {
  expect(mistakesOf('ldaps://d', { [setting]: value })).toEqual([expect.stringContaining(`${setting} ${message}`)])
})

test.each([
  ['member={dn}', 'must be a filter in parentheses'],
  ['(cn=staff)', 'must contain {dn}'],
  ['(&(member={dn})({dn}=x))', 'must contain {dn} after a "="'],
  ['(|(member={dn})(memberUid={username}))', 'must contain {dn} after a "="'],
])('the setting LDAP_GROUP_FILTER=%s is refused', (LDAP_GROUP_FILTER, message) => {
  const more = { LDAP_GROUP_BASE: 'ou=groups', LDAP_GROUP_FILTER }
  expect(mistakesOf('ldaps://d', more)).toEqual([expect.stringContaining(`LDAP_GROUP_FILTER ${message}`)])
})

const README = readFileSync(new URL('../../../src/users/ldap/README.md', import.meta.url), 'utf8')
const SECTIONS = README.split('\n## ').filter((section) => section.includes('```ini'))
const EXAMPLES = SECTIONS.map((section) => [section.split('\n')[0], section.split(/```(?:ini)?/)[1]])

test.each(EXAMPLES)('the LDAP example for %s in the README is accepted', async (_title, lines = '') => {
  const example = parseEnv(lines)
  expect(Object.keys(example).length).toBeGreaterThan(8)
  const folder = temporaryFolder()
  const files = { LDAP_CA_FILE: join(folder, 'ca.pem'), LDAP_BIND_PASSWORD_FILE: join(folder, 'password') }
  writeFileSync(files.LDAP_CA_FILE, (await makeCertificate()).certificate)
  writeFileSync(files.LDAP_BIND_PASSWORD_FILE, 'a password\n')
  expect(mistakesIn({ ...SETTINGS, ...example, ...files })).toEqual([])
})

test('the README of LDAP has an example for Active Directory and one for OpenLDAP', () => {
  expect(EXAMPLES.map(([title]) => title)).toEqual(['Active Directory', 'OpenLDAP'])
})
