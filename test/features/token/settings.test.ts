import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { isTokenEntryPoint } from '../../../src/features/token/fields.ts'
import { publicKeyPem } from '../../../src/features/token/viewer-token/content-key.ts'
import type { Environment } from '../../../src/settings/fields.ts'
import { mistakesIn, SETTINGS } from '../../settings.ts'
import { CHOSEN_STORE } from '../../users/chosen-store.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { CONTENT_KEY } from './viewer-token/jwcrypto-vectors.ts'

const { HASH_SECRET, PLAYER_RETURN_URL, ...COMMON } = SETTINGS
const PEM = pemOf(CONTENT_KEY)
const TOKEN = {
  ...COMMON,
  VIEWER_AUTH: 'token',
  CONTENT_KEY: PEM,
  SERVICE_VIEWER_KEY_URL: 'https://api.example/viewer-auth-public-key.json',
  REF_ADDRESSES: 'https://player.example/embed/1002',
}
const ENTRY = {
  name: 'gold',
  viewerAuth: 'token',
  contentKey: PEM,
  serviceViewerKeyUrl: TOKEN.SERVICE_VIEWER_KEY_URL,
  refAddresses: [TOKEN.REF_ADDRESSES],
  playerOrigins: [COMMON.PLAYER_ORIGINS],
}
const HASH_ENTRY = {
  name: 'news',
  secret: HASH_SECRET,
  playerReturnUrl: PLAYER_RETURN_URL,
  playerOrigins: [COMMON.PLAYER_ORIGINS],
}
const SETTINGS_OF_TOKEN = {
  viewerAuth: 'token',
  serviceKeyUrl: TOKEN.SERVICE_VIEWER_KEY_URL,
  refAddresses: [{ origin: 'https://player.example', path: '/embed/1002' }],
  parameters: [{ name: 'sub', attribute: 'username' }],
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function encryptedPem(): string {
  return CONTENT_KEY.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
}

function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, text)
  return file
}

function withFile(...entries: object[]): Environment {
  const { PLAYER_ORIGINS: _origins, ...app } = COMMON
  return { ...app, ENTRY_POINTS_FILE: fileWith(JSON.stringify(entries)) }
}

describe('an entry point with VIEWER_AUTH=token', () => {
  test('an entry point with tokens needs no secret and no return address', () => {
    const [entryPoint] = readConfig(TOKEN).entryPoints
    expect(entryPoint).toMatchObject({ ...SETTINGS_OF_TOKEN, name: 'default', basePath: '' })
    expect(entryPoint && isTokenEntryPoint(entryPoint) && entryPoint.contentKey.equals(CONTENT_KEY)).toBe(true)
    expect(entryPoint).not.toHaveProperty('secret')
    expect(readConfig(TOKEN).warnings).toEqual([])
  })
  test('the content key may be in a file, in PKCS#1', () => {
    const { CONTENT_KEY: _key, ...others } = TOKEN
    const file = fileWith(CONTENT_KEY.export({ type: 'pkcs1', format: 'pem' }).toString())
    const [entryPoint] = readConfig({ ...others, CONTENT_KEY_FILE: file }).entryPoints
    expect(entryPoint && isTokenEntryPoint(entryPoint) && entryPoint.contentKey.equals(CONTENT_KEY)).toBe(true)
  })
  test('TOKEN_SUBJECT names the attribute of the viewer', () => {
    const [entryPoint] = readConfig({ ...TOKEN, TOKEN_SUBJECT: 'mail' }).entryPoints
    expect(entryPoint?.parameters).toEqual([{ name: 'sub', attribute: 'mail' }])
  })
  test('plain http is accepted on a laptop only', () => {
    const http = { SERVICE_VIEWER_KEY_URL: 'http://127.0.0.1:4000/keys', REF_ADDRESSES: 'http://127.0.0.1:4000/embed/' }
    expect(mistakesIn({ ...TOKEN, ...http, PUBLIC_URL: 'http://localhost:3000' })).toEqual([])
    expect(mistakesIn({ ...TOKEN, ...http })).toEqual([
      expect.stringMatching(/^SERVICE_VIEWER_KEY_URL must be https/),
      expect.stringMatching(/^REF_ADDRESSES: item 1 must be https/),
    ])
  })
  test('all missing settings are reported at once', () => {
    const missing = mistakesIn({ ...CHOSEN_STORE, VIEWER_AUTH: 'token' }).map((sentence) => sentence.split(' ')[0])
    const names = ['PLAYER_ORIGINS', 'CONTENT_KEY', 'SERVICE_VIEWER_KEY_URL', 'REF_ADDRESSES']
    expect(missing).toEqual(expect.arrayContaining(['PUBLIC_URL', 'SESSION_SECRET', ...names]))
  })
  test.each([
    ['the public half', () => publicKeyPem(CONTENT_KEY), 'is the public half of the key pair: use the private key'],
    [
      'an EC key',
      () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      'is not an RSA key, but ec: use RSA of 2048 bits',
    ],
    [
      'too short',
      () => pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
      'is an RSA key of 1024 bits: it needs at least 2048',
    ],
    [
      'an encrypted key',
      () => encryptedPem(),
      'is encrypted with a passphrase: decrypt it with openssl pkey -in FILE -out NEW_FILE',
    ],
    ['a secret', () => HASH_SECRET, 'is not a private key in PEM form, which starts with -----BEGIN'],
  ])(
    'a content key that is %s is reported in one sentence without the key, from each source',
    (_name, make, sentence) => {
      const text = make()
      const { CONTENT_KEY: _key, ...others } = TOKEN
      const { contentKey: _contentKey, ...entry } = ENTRY
      expect(mistakesIn({ ...TOKEN, CONTENT_KEY: text })).toEqual([`CONTENT_KEY ${sentence}`])
      expect(mistakesIn({ ...others, CONTENT_KEY_FILE: fileWith(text) })).toEqual([expect.stringContaining(sentence)])
      expect(mistakesIn(withFile({ ...entry, contentKeyFile: fileWith(text) }))).toEqual([
        `ENTRY_POINTS_FILE, entry 1: contentKeyFile names a file whose content ${sentence}`,
      ])
    },
  )
  test.each([
    ['in several lines', PEM],
    ['in one line with \\n', PEM.replaceAll('\n', '\\n')],
  ])('a content key %s is not a secret, so one text never serves both versions', (_name, text) => {
    expect(mistakesIn({ ...TOKEN, CONTENT_KEY: text })).toEqual([])
    for (const name of ['HASH_SECRET', 'HASH_SECRET_PREVIOUS', 'SESSION_SECRET']) {
      expect(mistakesIn({ ...SETTINGS, [name]: text })).toEqual([
        expect.stringMatching(`^${name} is a key in PEM form`),
      ])
    }
  })
  test('the secret of an entry in ENTRY_POINTS_FILE is not a content key', () => {
    expect(mistakesIn(withFile({ ...HASH_ENTRY, secret: PEM }))).toEqual([
      expect.stringContaining('secret is a key in PEM form'),
    ])
  })
  test('settings of the other version are kept out, with a warning', () => {
    expect(readConfig({ ...TOKEN, ...SETTINGS }).warnings).toEqual([
      'VIEWER_AUTH is token, so these settings have no effect: HASH_SECRET, PLAYER_RETURN_URL.',
    ])
    const { VIEWER_AUTH: _token, ...forgotten } = TOKEN
    expect(readConfig({ ...SETTINGS, ...forgotten }).entryPoints[0]).toMatchObject({ viewerAuth: 'hash' })
    expect(readConfig({ ...SETTINGS, ...forgotten }).warnings).toEqual([
      'VIEWER_AUTH is hash, so these settings have no effect: CONTENT_KEY, SERVICE_VIEWER_KEY_URL, REF_ADDRESSES.',
    ])
  })
  test('a key of tokens without a secret of hashes chooses tokens', () => {
    const { VIEWER_AUTH: _version, ...unnamed } = TOKEN
    expect(readConfig(unnamed)).toMatchObject({ warnings: [], entryPoints: [{ viewerAuth: 'token' }] })
    expect(mistakesIn({ ...unnamed, VIEWER_AUTH: 'hash' })).toContainEqual(expect.stringMatching(/^HASH_SECRET /))
  })
  test('optional settings of the other version give no warning, because another copy may use them', () => {
    expect(readConfig({ ...TOKEN, HASH_LIFETIME_SECONDS: '60', HASH_PARAMETERS: 'user=username' }).warnings).toEqual([])
    expect(readConfig({ ...SETTINGS, TOKEN_SUBJECT: 'mail' }).warnings).toEqual([])
  })
})

describe('a file of entry points', () => {
  test('a key of tokens without a secret of hashes chooses tokens in a file too', () => {
    const { viewerAuth: _version, ...entry } = ENTRY
    expect(readConfig(withFile(entry)).entryPoints).toMatchObject([{ viewerAuth: 'token' }])
  })
  test('a file may have entry points of both versions', () => {
    const { entryPoints } = readConfig(withFile(HASH_ENTRY, { ...ENTRY, tokenSubject: 'username' }))
    expect(entryPoints).toMatchObject([{ viewerAuth: 'hash' }, { ...SETTINGS_OF_TOKEN, basePath: '/e/gold' }])
  })
  test('the content key of an entry may be in a file', () => {
    const { contentKey: _key, ...others } = ENTRY
    const [entryPoint] = readConfig(withFile({ ...others, contentKeyFile: fileWith(PEM) })).entryPoints
    expect(entryPoint && isTokenEntryPoint(entryPoint) && entryPoint.contentKey.equals(CONTENT_KEY)).toBe(true)
  })
  test.each([
    ['without a key', () => ({ contentKey: undefined }), 'contentKey or contentKeyFile is required'],
    [
      'with two keys',
      () => ({ contentKeyFile: fileWith(PEM) }),
      'contentKey or contentKeyFile is required, and not both',
    ],
    [
      'with a file that is not a key',
      () => ({ contentKey: undefined, contentKeyFile: fileWith('x') }),
      'contentKeyFile names a file whose content is not a',
    ],
    [
      'with a file that is missing',
      () => ({ contentKey: undefined, contentKeyFile: '/nowhere' }),
      'a file that does not exist',
    ],
    ['without addresses', () => ({ refAddresses: [] }), 'at least one address'],
    [
      'with a secret',
      () => ({ secret: HASH_SECRET }),
      'viewerAuth is token, so these settings have no effect: secret; remove them',
    ],
    ['with an unknown version', () => ({ viewerAuth: 'vt' }), 'viewerAuth must be hash or token'],
  ])('an entry %s is refused', (_name, fields, part) => {
    expect(mistakesIn(withFile({ ...ENTRY, ...fields() })).join('\n')).toContain(part)
  })
  test.each([
    ['contentKey', () => PEM],
    ['contentKeyFile', () => fileWith(PEM)],
    ['tokenSubject', () => 'username'],
  ])('an entry of the hash version with %s is refused, with this name', (name, value) => {
    expect(mistakesIn(withFile({ ...HASH_ENTRY, [name]: value() }))).toEqual([
      `ENTRY_POINTS_FILE, entry 1: viewerAuth is hash, so these settings have no effect: ${name}; remove them`,
    ])
  })
  test('an entry with tokens and the empty file of a previous secret is refused', () => {
    expect(mistakesIn(withFile({ ...ENTRY, secretPreviousFile: fileWith('') }))).toEqual([
      expect.stringMatching(/no effect: secretPreviousFile; remove them$/),
    ])
  })
  test('an entry with tokens and null for secretFile is refused in two sentences', () => {
    expect(mistakesIn(withFile({ ...ENTRY, secretFile: null }))).toEqual([
      expect.stringMatching(/entry 1: secretFile must be the path of a file$/),
      expect.stringMatching(/no effect: secretFile; remove them$/),
    ])
  })
  test('two entry points with the same key give a warning', () => {
    const other = pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    const warnings = (contentKey: string) =>
      readConfig(withFile(ENTRY, { ...ENTRY, name: 'silver', contentKey })).warnings
    expect(warnings(PEM)).toEqual([expect.stringContaining('are the same key')])
    expect(warnings(other)).toEqual([])
  })
  test('a content key that is also the key of single sign-on gives a warning', () => {
    const other = pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    const sso = { oidcIssuer: 'https://sso.example', oidcClientId: 'player' }
    const warnings = (clientKey: string) =>
      readConfig(withFile({ ...HASH_ENTRY, ...sso, oidcClientKeyFile: fileWith(clientKey) }, ENTRY)).warnings
    expect(warnings(CONTENT_KEY.export({ type: 'pkcs1', format: 'pem' }).toString())).toEqual([
      expect.stringContaining('CONTENT_KEY'),
    ])
    expect(warnings(other)).toEqual([])
  })
})
