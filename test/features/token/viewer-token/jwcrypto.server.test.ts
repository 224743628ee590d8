import { createPublicKey, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseContentKey } from '../../../../src/features/token/viewer-token/content-key.ts'
import { checkViewerToken } from '../../../../src/features/token/viewer-token/token-check.ts'
import { buildViewerToken, faultInSubject } from '../../../../src/features/token/viewer-token/viewer-token.ts'
import { rowsFor } from '../../../rows.ts'
import { alteredTokens } from './altered-tokens.ts'
import { type CheckedToken, checkWithJwcrypto, jwkOf } from './jwcrypto.ts'
import { OLDER_KEY, OLDER_KID, tokensOfJwcrypto } from './jwcrypto-tokens.ts'
import { CONTENT_KEY, ISSUED_AT, KID, SERVICE_KEY } from './jwcrypto-vectors.ts'
import { KEY_OF_4096_BITS, PKCS1_OF_3072_BITS } from './longer-keys.ts'
import { CHECK_KEYS } from './token-keys.ts'

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
