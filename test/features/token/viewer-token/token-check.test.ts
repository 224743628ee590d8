import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkEnvelope,
  checkSignedToken,
  checkViewerToken,
} from '../../../../src/features/token/viewer-token/token-check.ts'
import { describeTokenCheck } from '../../../../src/features/token/viewer-token/token-diagnosis.ts'
import { checkAuthenticationResponse } from '../../../../src/hash-lock/check-response.ts'
import { alteredTokens, surplusBits } from './altered-tokens.ts'
import { encrypt, sign } from './jose-tokens.ts'
import { CONTENT_KEY, ISSUED_AT, KID, TOKEN_VECTORS, TOKEN_WITH_LEADING_ZERO } from './jwcrypto-vectors.ts'
import { CHECK_KEYS } from './token-keys.ts'

const ALTERED = await alteredTokens()
const VECTORS = Object.entries(TOKEN_VECTORS)
const TOKEN = VECTORS[0]?.[1].token ?? ''

test.each(VECTORS)('a token that jwcrypto built is accepted: %s', async (_name, { token, subject }) => {
  const accepted = { ok: true, subject, issuedAtSeconds: ISSUED_AT }
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT)).toEqual(accepted)
  expect(checkEnvelope(token, ['older', KID])).toEqual({ ok: true, kid: KID })
})

test('a token whose encrypted key starts with a zero byte is accepted', async () => {
  expect(await checkViewerToken(TOKEN_WITH_LEADING_ZERO, CHECK_KEYS, ISSUED_AT)).toMatchObject({ ok: true })
})

test.each(ALTERED)('a token $name is refused', async ({ token, reason }) => {
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT)).toMatchObject({ ok: false, reason })
})

test.each([
  [0, true],
  [60, true],
  [60.9, true],
  [61, false],
  [-1, false],
  [-0.1, false],
  [Number.NaN, false],
])('a token of %s seconds is accepted: %s', async (ageSeconds, ok) => {
  expect(await checkViewerToken(TOKEN, CHECK_KEYS, ISSUED_AT + ageSeconds)).toMatchObject({ ok })
})

test('a token is refused from the second of its exp', async () => {
  const token = await encrypt(await sign(`{"sub":"ada","iat":${ISSUED_AT},"exp":${ISSUED_AT + 10}}`))
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT + 9)).toMatchObject({ ok: true })
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT + 10)).toMatchObject({ reason: 'expired' })
})

test('a token is refused after the service removed its key', async () => {
  const check = await checkViewerToken(TOKEN, { ...CHECK_KEYS, serviceKeys: [] }, ISSUED_AT)
  expect(check).toMatchObject({ reason: 'unknown-service-key' })
})

test('a signed token is checked without the keys of the service', async () => {
  const signed = await sign(`{"sub":"ada","iat":${ISSUED_AT}}`)
  expect(await checkSignedToken(signed, CONTENT_KEY, ISSUED_AT)).toMatchObject({ ok: true, subject: 'ada' })
})

test('an authentication response check refuses a token', () => {
  expect(checkAuthenticationResponse(TOKEN, createHash('md5').update(TOKEN).digest('hex'), 0).ok).toBe(false)
})

describe('properties', () => {
  test('a token with any changed character is refused', async () => {
    const change = fc.tuple(fc.nat(TOKEN.length - 1), fc.constantFrom(...'ABCDwxyz0189-_.+=/ \0é'))
    const examples: [[number, string]][] = [[[TOKEN.length - 1, surplusBits(TOKEN).slice(-1)]]]
    await fc.assert(
      fc.asyncProperty(change, async ([at, character]) => {
        fc.pre(TOKEN[at] !== character)
        const changed = TOKEN.slice(0, at) + character + TOKEN.slice(at + 1)
        expect(await checkViewerToken(changed, CHECK_KEYS, ISSUED_AT)).toMatchObject({ ok: false })
      }),
      { numRuns: 150, examples },
    )
  })
  test('any text is refused, not an error', async () => {
    const part = fc.string({ unit: 'binary' }).map((text) => Buffer.from(text).toString('base64url'))
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await checkViewerToken(text, CHECK_KEYS, ISSUED_AT)).toMatchObject({ ok: false })
      }),
    )
  })
  test('any signed content is accepted with its viewer or refused, not an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.string({ unit: 'binary' }), async (json, sub) => {
        const inside = await sign(json)
        expect((await checkSignedToken(inside, CONTENT_KEY, ISSUED_AT)).ok).toBe(false)
        const signed = await sign(JSON.stringify({ nested: [json, { sub: 'eve' }], sub, iat: ISSUED_AT }))
        const check = await checkSignedToken(signed, CONTENT_KEY, ISSUED_AT)
        expect(check.ok ? check.subject : check.reason).toBe(check.ok ? sub : 'wrong-claims')
      }),
      { numRuns: 50 },
    )
  })
})

test('every result has a sentence without the viewer and the token', async () => {
  const checks = await Promise.all(
    [{ token: TOKEN }, ...ALTERED].map(({ token }) => checkViewerToken(token, CHECK_KEYS, ISSUED_AT)),
  )
  const sentences = new Set(checks.map((check) => describeTokenCheck(check, ISSUED_AT)))
  expect(new Set(ALTERED.map(({ reason }) => reason)).size).toBe(11)
  expect(sentences.size).toBeGreaterThanOrEqual(12)
  for (const sentence of sentences) expect(sentence).not.toMatch(/ada|eve|undefined|NaN|eyJ/)
})

test('the sentences about time name the difference', async () => {
  const describe = async (now: number) => describeTokenCheck(await checkViewerToken(TOKEN, CHECK_KEYS, now), now)
  expect(await describe(ISSUED_AT + 15)).toContain('45 s')
  expect(await describe(ISSUED_AT - 3)).toContain('3 s in the future')
  expect(await describe(ISSUED_AT + 75)).toContain('75 s ago')
})
