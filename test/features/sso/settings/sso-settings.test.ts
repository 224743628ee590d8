import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import type { EntryPoint } from '../../../../src/entry-points/entry-point.ts'
import { ssoOf } from '../../../../src/features/sso/settings/sso-settings.ts'
import { APP_SETTINGS, mistakesIn, SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

const OIDC = { OIDC_ISSUER: 'https://idp.example/', OIDC_CLIENT_ID: 'app', OIDC_CLIENT_SECRET: 'secret' }
const ssoIn = (entryPoint: EntryPoint | undefined) => (entryPoint === undefined ? null : ssoOf(entryPoint))
const ssoWith = (more: Record<string, string> = {}) =>
  ssoIn(readConfig({ ...SETTINGS, ...OIDC, ...more }).entryPoints[0])
const mistakesWith = (more: Record<string, string>) => mistakesIn({ ...SETTINGS, ...OIDC, ...more })

test('without OIDC_ISSUER there is no single sign-on', () => {
  expect(ssoIn(readConfig(SETTINGS).entryPoints[0])).toBeNull()
})

test('three settings are enough, and the issuer keeps its slash', () => {
  expect(ssoWith()).toEqual({
    issuer: 'https://idp.example/',
    clientId: 'app',
    authentication: { kind: 'secret', secret: 'secret' },
    scopes: 'openid profile email',
    label: 'idp.example',
    usernameClaim: 'preferred_username',
    groupsClaim: 'groups',
    needsGroups: false,
    attributes: [],
    tenants: null,
    isOnly: false,
    sessionSeconds: 3600,
    hasCode: false,
  })
})

test('OIDC_GROUPS_CLAIM says that an access policy needs the groups', () => {
  expect(ssoWith({ OIDC_GROUPS_CLAIM: 'groups' })?.needsGroups).toBe(true)
})

test('a session at the provider is asked for again when a response expires, at least once an hour', () => {
  expect(ssoWith({ HASH_LIFETIME_SECONDS: '600' })?.sessionSeconds).toBe(600)
  expect(ssoWith({ HASH_LIFETIME_SECONDS: '0' })?.sessionSeconds).toBe(3600)
  expect(ssoWith({ SSO_SESSION_SECONDS: '900' })?.sessionSeconds).toBe(900)
})

test.each([
  ['OIDC_ISSUER', { OIDC_ISSUER: 'idp.example' }],
  ['OIDC_ISSUER', { OIDC_ISSUER: 'http://idp.example' }],
  ['OIDC_ISSUER', { OIDC_ISSUER: 'http://localhost:8080' }],
  ['OIDC_ISSUER', { OIDC_ISSUER: 'https://idp.example/.well-known/openid-configuration' }],
  ['OIDC_ISSUER', { OIDC_ISSUER: 'https://idp.example/?tenant=1' }],
  ['OIDC_CLIENT_ID', { OIDC_CLIENT_ID: '' }],
  ['OIDC_CLIENT_SECRET', { OIDC_CLIENT_SECRET: '' }],
  ['OIDC_CLIENT_KEY_FILE', { OIDC_CLIENT_KEY_FILE: '/nowhere' }],
  ['OIDC_SCOPES', { OIDC_SCOPES: 'profile' }],
  ['OIDC_LABEL', { OIDC_LABEL: 'x'.repeat(41) }],
  ['OIDC_ATTRIBUTES', { OIDC_ATTRIBUTES: 'seat' }],
  ['OIDC_ATTRIBUTES', { OIDC_ATTRIBUTES: 'username=sub' }],
  ['OIDC_ATTRIBUTES', { OIDC_ATTRIBUTES: 'a=b,a=c' }],
  ['OIDC_TENANTS', { OIDC_ISSUER: 'https://login.microsoftonline.com/common/v2.0' }],
  ['OIDC_TENANTS', { OIDC_ISSUER: 'https://login.microsoftonline.com/organizations/v2.0' }],
  ['SSO_ONLY', { SSO_ONLY: 'yes' }],
  ['SSO_SESSION_SECONDS', { SSO_SESSION_SECONDS: '1' }],
])('the start names %s: %o', (name, more) => {
  const mistakes = mistakesWith(more)
  expect(mistakes).toHaveLength(1)
  expect(mistakes[0]).toMatch(new RegExp(`^${name}\\b`))
})

test('plain http is accepted if the issuer and PUBLIC_URL are both on this machine', () => {
  const local = { PUBLIC_URL: 'http://localhost:3000', OIDC_ISSUER: 'http://127.0.0.1:8080' }
  expect(mistakesWith(local)).toEqual([])
})

test('Google without OIDC_TENANTS accepts every Google account, so the start warns', () => {
  const google = { ...SETTINGS, ...OIDC, OIDC_ISSUER: 'https://accounts.google.com' }
  expect(readConfig(google).warnings).toEqual([expect.stringContaining('OIDC_TENANTS')])
  expect(readConfig({ ...google, OIDC_TENANTS: 'example.com' }).warnings).toEqual([])
})

test('settings without an issuer have no effect, and stop the start', () => {
  const names = ['OIDC_CLIENT_ID', 'OIDC_TENANTS', 'SSO_ONLY']
  const mistakes = mistakesIn({ ...SETTINGS, OIDC_CLIENT_ID: 'app', OIDC_TENANTS: 'a', SSO_ONLY: 'on' })
  expect(mistakes.toSorted()).toEqual(names.map((name) => `${name} needs OIDC_ISSUER`))
})

describe('a private key', () => {
  const fileWith = (content: string) => {
    const file = join(temporaryFolder(), 'key.pem')
    writeFileSync(file, content)
    return file
  }
  const pemOf = (kind: 'rsa' | 'ec', options: object) =>
    generateKeyPairSync(kind as 'rsa', options as { modulusLength: number })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
  const withKey = (content: string) => ({ OIDC_CLIENT_SECRET: '', OIDC_CLIENT_KEY_FILE: fileWith(content) })

  test('a key takes the place of the secret', () => {
    expect(ssoWith(withKey(pemOf('ec', { namedCurve: 'P-256' })))?.authentication).toMatchObject({ kind: 'key' })
  })
  test.each([
    ['of no known kind', pemOf('ec', { namedCurve: 'secp256k1' })],
    ['that is too short', pemOf('rsa', { modulusLength: 1024 })],
    ['that is not a key', 'not a key'],
  ])('a key %s stops the start', (_case, content) => {
    expect(mistakesWith(withKey(content))).toEqual([expect.stringMatching(/^OIDC_CLIENT_KEY_FILE names/)])
  })
  const rsa = pemOf('rsa', { modulusLength: 2048 })
  const p256 = pemOf('ec', { namedCurve: 'P-256' })
  const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  test.each([
    ['RS256', rsa],
    ['PS256', rsa],
    ['ES256', p256],
    ['Ed25519', ed25519],
  ])('OIDC_CLIENT_KEY_ALGORITHM=%s is accepted for a key that fits', (algorithm, content) => {
    const settings = { ...withKey(content), OIDC_CLIENT_KEY_ALGORITHM: algorithm }
    expect(ssoWith(settings)?.authentication).toMatchObject({ kind: 'key', algorithm })
  })
  test.each([
    ['PS256', 'a P-256 key', p256],
    ['ES256', 'an RSA key', rsa],
    ['RS256', 'an Ed25519 key', ed25519],
    ['PS256', 'a secret', null],
  ])('OIDC_CLIENT_KEY_ALGORITHM=%s with %s stops the start', (algorithm, _what, content) => {
    const mistakes = mistakesWith({ ...(content !== null && withKey(content)), OIDC_CLIENT_KEY_ALGORITHM: algorithm })
    expect(mistakes).toEqual([`OIDC_CLIENT_KEY_ALGORITHM needs a key for ${algorithm} in OIDC_CLIENT_KEY_FILE`])
  })
  test('a wrong key is one mistake, also with an algorithm', () => {
    const mistakes = mistakesWith({ ...withKey('not a key'), OIDC_CLIENT_KEY_ALGORITHM: 'PS256' })
    expect(mistakes).toEqual([expect.stringMatching(/^OIDC_CLIENT_KEY_FILE names/)])
  })
  test('a key and a secret stop the start', () => {
    const both = { ...OIDC, ...withKey(pemOf('ec', { namedCurve: 'P-256' })), OIDC_CLIENT_SECRET: 'x' }
    expect(mistakesWith(both)).toHaveLength(1)
  })
})

test('each entry point may have a provider of its own, with its secret in a file', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'entry-points.json')
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, 'from a file\n')
  const { HASH_SECRET: secret, PLAYER_RETURN_URL, PLAYER_ORIGINS } = SETTINGS
  const common = { secret, playerReturnUrl: PLAYER_RETURN_URL, playerOrigins: [PLAYER_ORIGINS] }
  const sso = {
    oidcIssuer: 'https://idp.example',
    oidcClientId: 'app',
    oidcClientSecretFile: secretFile,
    oidcAttributes: ['seat=employee_id'],
    oidcTenants: ['contoso'],
    ssoOnly: 'on',
    ssoSessionSeconds: 900,
  }
  const environment = { ...APP_SETTINGS, ENTRY_POINTS_FILE: file }
  writeFileSync(
    file,
    JSON.stringify([
      { ...common, name: 'a', ...sso },
      { ...common, name: 'b' },
    ]),
  )
  const [first, second] = readConfig(environment).entryPoints
  expect(ssoIn(second)).toBeNull()
  expect(ssoIn(first)).toMatchObject({
    authentication: { kind: 'secret', secret: 'from a file' },
    attributes: [{ name: 'seat', claim: 'employee_id' }],
    tenants: ['contoso'],
    isOnly: true,
    sessionSeconds: 900,
  })
  writeFileSync(file, JSON.stringify([{ ...common, name: 'a', ssoOnly: 'on', oidcClientSecretFile: secretFile }]))
  expect(mistakesIn(environment)).toEqual([
    'ENTRY_POINTS_FILE, entry 1: oidcClientSecretFile needs oidcIssuer',
    'ENTRY_POINTS_FILE, entry 1: ssoOnly needs oidcIssuer',
  ])
})
