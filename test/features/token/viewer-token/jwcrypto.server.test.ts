import { createPublicKey, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseContentKey, publicKeyPem } from '../../../../src/features/token/viewer-token/content-key.ts'
import { checkViewerToken } from '../../../../src/features/token/viewer-token/token-check.ts'
import { buildViewerToken, faultInSubject } from '../../../../src/features/token/viewer-token/viewer-token.ts'
import { rowsFor } from '../../../rows.ts'
import { type AlteredToken, alteredTokens } from './altered-tokens.ts'
import { OUTER } from './jose-tokens.ts'
import { buildWithJwcrypto, type CheckedToken, checkWithJwcrypto, jwkOf, type TokenToBuild } from './jwcrypto.ts'
import { CONTENT_KEY, ISSUED_AT, KID, SERVICE_KEY } from './jwcrypto-vectors.ts'
import { KEY_OF_4096_BITS, PKCS1_OF_3072_BITS } from './longer-keys.ts'
import { CHECK_KEYS } from './token-keys.ts'

/** A second key that the service accepts. */
const OLDER_KID = 'service-2026-10'
const OLDER_KEY = KEY_OF_4096_BITS

const CLAIMS = `{"sub":"ada@example.com","iat":${ISSUED_AT}}`
const SERVICE_JWK = jwkOf(createPublicKey(SERVICE_KEY))
const CONTENT_JWK = jwkOf(CONTENT_KEY)

type Layer = TokenToBuild['layers'][number]

const SIGNED = signed({ alg: 'RS512', typ: 'JWT' })
const ENCRYPTED = encrypted(OUTER)
const GOOD: TokenToBuild = { text: CLAIMS, layers: [SIGNED, ENCRYPTED] }

/** Tokens that the service refuses in the second of their `iat`. All are whole: signatures and tags are right. */
const REFUSED: readonly (readonly [name: string, reason: AlteredToken['reason'], token: TokenToBuild])[] = [
  ['that is signed only', 'not-encrypted', inLayers(SIGNED)],
  ['encrypted by RSA1_5', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, alg: 'RSA1_5' }))],
  ['encrypted by RSA-OAEP-256', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, alg: 'RSA-OAEP-256' }))],
  ['encrypted by A128CBC-HS256', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, enc: 'A128CBC-HS256' }))],
  ['encrypted by A256GCM', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, enc: 'A256GCM' }))],
  [
    'encrypted with a symmetric key of zeros',
    'other-encryption',
    inLayers(SIGNED, encrypted({ ...OUTER, alg: 'dir' }, secretOf(Buffer.alloc(64)))),
  ],
  ['without a kid', 'unknown-service-key', inLayers(SIGNED, encrypted({ ...OUTER, kid: undefined }))],
  ['with an unknown kid', 'unknown-service-key', inLayers(SIGNED, encrypted({ ...OUTER, kid: 'another' }))],
  [
    'with the kid of another key that the service accepts',
    'wrong-service-key',
    inLayers(SIGNED, encrypted({ ...OUTER, kid: OLDER_KID })),
  ],
  ['that is compressed', 'other-encryption', inLayers(SIGNED, encrypted({ ...OUTER, zip: 'DEF' }))],
  [
    'that names its kid twice',
    'malformed',
    inLayers(SIGNED, { ...ENCRYPTED, header: `{"kid":"another",${ENCRYPTED.header.slice(1)}` }),
  ],
  ['without a signature', 'not-signed', inLayers(ENCRYPTED)],
  ['encrypted twice', 'not-signed', inLayers(SIGNED, ENCRYPTED, ENCRYPTED)],
  [
    'that names its signature twice',
    'not-signed',
    inLayers({ ...SIGNED, header: `{"alg":"none",${SIGNED.header.slice(1)}` }, ENCRYPTED),
  ],
  ['signed by none', 'other-signature', inLayers(signed({ alg: 'none' }, null), ENCRYPTED)],
  ['signed by HS512 with the public key in PEM form', 'other-signature', inLayers(byPublicKey('pem'), ENCRYPTED)],
  ['signed by HS512 with the public key in DER form', 'other-signature', inLayers(byPublicKey('der'), ENCRYPTED)],
  ['signed by RS256', 'other-signature', inLayers(signed({ alg: 'RS256' }), ENCRYPTED)],
  ['signed by PS512', 'other-signature', inLayers(signed({ alg: 'PS512' }), ENCRYPTED)],
  [
    'signed with the key in its own header',
    'wrong-signature',
    inLayers(signed({ alg: 'RS512', jwk: jwkOf(createPublicKey(OLDER_KEY)) }, jwkOf(OLDER_KEY)), ENCRYPTED),
  ],
  ['with two viewers', 'wrong-claims', claiming(`{"sub":"ada","iat":${ISSUED_AT},"sub":"eve"}`)],
  ['with two times', 'wrong-claims', claiming(`{"sub":"ada","iat":${ISSUED_AT - 61},"iat":${ISSUED_AT}}`)],
  ['with a time in fractions', 'wrong-claims', claiming(`{"sub":"ada","iat":${ISSUED_AT}.5}`)],
  ['from one second in the future', 'issued-in-future', claiming(`{"sub":"ada","iat":${ISSUED_AT + 1}}`)],
  ['61 seconds old', 'expired', claiming(`{"sub":"ada","iat":${ISSUED_AT - 61}}`)],
]

/** Builds tokens with jwcrypto: two that the service accepts in the second of their `iat`, and others that it refuses. */
function tokensOfJwcrypto(): { good: string; oldest: string; refused: AlteredToken[] } {
  const oldest = claiming(`{"sub":"ada","iat":${ISSUED_AT - 60}}`)
  const built = buildWithJwcrypto([GOOD, oldest, ...REFUSED.map(([, , token]) => token)])
  const refused = REFUSED.map(([name, reason], index) => ({ name, reason, token: built[index + 2] ?? '' }))
  return { good: built[0] ?? '', oldest: built[1] ?? '', refused }
}

function inLayers(...layers: Layer[]): TokenToBuild {
  return { text: CLAIMS, layers }
}

function claiming(text: string): TokenToBuild {
  return { ...GOOD, text }
}

function signed(header: object, key: Layer['key'] = CONTENT_JWK): Layer {
  return { header: JSON.stringify(header), key }
}

function encrypted(header: object, key: Layer['key'] = SERVICE_JWK): Layer {
  return { header: JSON.stringify(header), key }
}

/** Algorithm confusion: the public key is not a secret, so it must not verify an HMAC. */
function byPublicKey(format: 'pem' | 'der'): Layer {
  const pem = publicKeyPem(CONTENT_KEY)
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  return signed({ alg: 'HS512' }, secretOf(format === 'pem' ? Buffer.from(pem) : der))
}

function secretOf(bytes: Buffer): Layer['key'] {
  return { kty: 'oct', k: bytes.toString('base64url') }
}

type Row = readonly [contentBits: Bits, form: 'pkcs1' | 'pkcs8', serviceBits: Bits]
type Bits = 2048 | 3072 | 4096

interface Built {
  readonly subject: string
  readonly seconds: number
}

const OF_3072_BITS = parseContentKey(PKCS1_OF_3072_BITS)
const CONTENT_KEYS: Record<Bits, KeyObject> = { 2048: CONTENT_KEY, 3072: OF_3072_BITS, 4096: KEY_OF_4096_BITS }
const SERVICE_KEYS: Record<Bits, KeyObject> = { ...CONTENT_KEYS, 2048: SERVICE_KEY }
const TELLING: readonly Row[] = [
  [2048, 'pkcs8', 2048],
  [3072, 'pkcs1', 4096],
  [4096, 'pkcs8', 3072],
]
const REPETITIONS = ([2048, 3072, 4096] as const).flatMap((contentBits) =>
  ([2048, 3072, 4096] as const).flatMap((serviceBits) =>
    (['pkcs1', 'pkcs8'] as const).map((form): Row => [contentBits, form, serviceBits]),
  ),
)
/** These lengths cover every length of the padding of AES. */
const LENGTHS = Array.from({ length: 16 }, (_, index) => 'x'.repeat(index + 1))
const CHOSEN = [
  'é'.repeat(127),
  '東京 \u{1f3ac}',
  'a|b "c" \\ {"sub":"eve"}',
  'ada\u2028',
  '\ufeffada',
  'e\u0301',
  ...LENGTHS,
]
/** jwcrypto decodes them to the same bytes. checkViewerToken() refuses them, because a copy could be used once more. */
const OTHER_SPELLINGS = ['with padding', 'with surplus bits at its end']

const anySubject = fc.string({ unit: 'binary', maxLength: 90 }).filter((text) => faultInSubject(text) === null)
const anySecond = fc.integer({ min: 1_000_000_000, max: 4_000_000_000 })

/** Builds tokens, and checks half of them with jwcrypto in the first second of their life, half in the last. */
async function checkedByJwcrypto([contentBits, form, serviceBits]: Row, builds: readonly Built[]) {
  const content = CONTENT_KEYS[contentBits]
  const service = SERVICE_KEYS[serviceBits]
  const contentKey = parseContentKey(content.export({ type: form, format: 'pem' }).toString())
  const serviceKey = { kid: KID, publicKey: createPublicKey(service) }
  const tokens = await Promise.all(
    builds.map(({ subject, seconds }) => buildViewerToken(subject, { contentKey, serviceKey }, seconds + 0.999)),
  )
  const keys = { serviceKey: jwkOf(service, KID), contentKey: jwkOf(createPublicKey(content)) }
  const nowSeconds = (index: number) => (builds[index]?.seconds ?? 0) - 5 + (index % 2) * 60
  const found = checkWithJwcrypto(tokens.map((token, index) => ({ ...keys, token, nowSeconds: nowSeconds(index) })))
  return { tokens, found }
}

describe.each(rowsFor(TELLING, REPETITIONS))(
  'tokens with a content key of %i bits in %s and a service key of %i bits',
  (...row) => {
    const serviceBits = row[2]
    const builds = [
      ...fc.sample(fc.record({ subject: anySubject, seconds: anySecond }), 12),
      ...CHOSEN.map((subject) => ({ subject, seconds: ISSUED_AT })),
    ]
    let checked: Awaited<ReturnType<typeof checkedByJwcrypto>>
    beforeAll(async () => {
      checked = await checkedByJwcrypto(row, builds)
    })

    test('jwcrypto accepts every token from its first to its last second, and reads the documented claims only', () => {
      const claims = builds.map(({ subject, seconds }) => ({ sub: subject, iat: seconds - 5 }))
      expect(checked.found.map((token) => token?.claims)).toEqual(claims)
    })

    test('every header and length of a token is as documented', () => {
      for (const token of checked.found) {
        expect(token).toMatchObject({ encryptedKeyBytes: serviceBits / 8, tagBytes: 32 })
        expect(token?.header).toEqual({ alg: 'RSA-OAEP', enc: 'A256CBC-HS512', typ: 'JWT', kid: KID })
        expect(token?.signedHeader).toEqual({ alg: 'RS512', typ: 'JWT' })
      }
    })

    test('every part of a token is base64url without padding', () => {
      for (const token of checked.tokens) expect(token).toMatch(/^[\w-]+(\.[\w-]+){4}$/)
    })
  },
)

describe('64 tokens of one viewer in one second', () => {
  let found: CheckedToken[]
  let tokens: string[]
  beforeAll(async () => {
    const builds = Array.from({ length: 64 }, () => ({ subject: 'ada', seconds: ISSUED_AT }))
    const checked = await checkedByJwcrypto([2048, 'pkcs8', 2048], builds)
    tokens = checked.tokens
    found = checked.found.flatMap((token) => token ?? [])
    expect(found).toHaveLength(64)
  })

  test.each([
    ['contentEncryptionKey', 64],
    ['iv', 16],
  ] as const)('each token has its own %s, and each byte varies', (name, bytes) => {
    const values = found.map((token) => Buffer.from(token[name], 'hex'))
    expect(new Set(values.map((value) => value.toString('hex'))).size).toBe(64)
    for (let at = 0; at < bytes; at += 1) expect(new Set(values.map((value) => value[at])).size).toBeGreaterThan(30)
    expect(values.every((value) => value.length === bytes)).toBe(true)
  })

  test('only the header of two tokens is the same', () => {
    const parts = tokens.map((token) => token.split('.'))
    expect([0, 1, 2, 3, 4].map((at) => new Set(parts.map((part) => part[at])).size)).toEqual([1, 64, 64, 64, 64])
  })

  test('the two halves of a key and the IV share no bytes', () => {
    for (const { contentEncryptionKey, iv } of found) {
      expect(contentEncryptionKey.slice(0, 64)).not.toBe(contentEncryptionKey.slice(64))
      expect(contentEncryptionKey).not.toContain(iv)
    }
  })
})

test('jwcrypto refuses every altered token', async () => {
  const altered = await alteredTokens()
  const keys = { serviceKey: jwkOf(SERVICE_KEY, KID), contentKey: jwkOf(createPublicKey(CONTENT_KEY)) }
  const verdicts = checkWithJwcrypto(altered.map(({ token }) => ({ ...keys, token, nowSeconds: ISSUED_AT })))
  const accepted = altered.filter((_token, index) => verdicts[index] !== null).map(({ name }) => name)
  expect(altered.length).toBeGreaterThan(45)
  expect(accepted).toEqual(OTHER_SPELLINGS)
})

describe('tokens that jwcrypto built', () => {
  const { good, oldest, refused } = tokensOfJwcrypto()
  const keys = { ...CHECK_KEYS, serviceKeys: [...CHECK_KEYS.serviceKeys, { kid: OLDER_KID, privateKey: OLDER_KEY }] }

  test('a token that is new or 60 seconds old is accepted', async () => {
    expect(await checkViewerToken(good, keys, ISSUED_AT)).toMatchObject({ ok: true, subject: 'ada@example.com' })
    expect(await checkViewerToken(oldest, keys, ISSUED_AT)).toMatchObject({ ok: true, subject: 'ada' })
  })

  test.each(refused)('a token $name is refused', async ({ token, reason }) => {
    expect(await checkViewerToken(token, keys, ISSUED_AT)).toMatchObject({ ok: false, reason })
  })
})
