import { createDecipheriv, createHmac, createPublicKey, privateDecrypt } from 'node:crypto'
import fc from 'fast-check'
import { compactDecrypt, compactVerify } from 'jose'
import { expect, test } from 'vitest'
import { checkViewerToken } from '../../../../src/features/token/viewer-token/token-check.ts'
import { buildViewerToken, faultInSubject } from '../../../../src/features/token/viewer-token/viewer-token.ts'
import { CONTENT_KEY, ISSUED_AT, KID, SERVICE_KEY } from './jwcrypto-vectors.ts'
import { BUILD_KEYS, CHECK_KEYS } from './token-keys.ts'

/** Reads tokens with jose and with the primitives of node:crypto, without the code of `src`. */

const anySubject = fc.string({ unit: 'binary', maxLength: 90 }).filter((text) => faultInSubject(text) === null)

function partsOf(token: string): Buffer[] {
  return token.split('.').map((part) => Buffer.from(part, 'base64url'))
}

async function readWithJose(token: string) {
  const encryption = { keyManagementAlgorithms: ['RSA-OAEP'], contentEncryptionAlgorithms: ['A256CBC-HS512'] }
  const { plaintext } = await compactDecrypt(token, SERVICE_KEY, encryption)
  const signed = Buffer.from(plaintext).toString('latin1')
  const verified = await compactVerify(signed, createPublicKey(CONTENT_KEY), { algorithms: ['RS512'] })
  return { signed, header: verified.protectedHeader, claims: JSON.parse(Buffer.from(verified.payload).toString()) }
}

/** RFC 7518, 5.2.2.2: the tag is the first half of the HMAC, the first half of the key is for the HMAC. */
function decryptByHand(token: string): { text: string; tag: Buffer } {
  const [header = '', ...encoded] = token.split('.')
  const [encryptedKey, iv, ciphertext] = encoded.map((part) => Buffer.from(part, 'base64url'))
  if (!encryptedKey || !iv || !ciphertext) return expect.unreachable()
  const key = privateDecrypt({ key: SERVICE_KEY, oaepHash: 'sha1' }, encryptedKey)
  const headerBits = Buffer.alloc(8)
  headerBits.writeBigUInt64BE(BigInt(header.length * 8))
  const hmac = createHmac('sha512', key.subarray(0, 32)).update(header).update(iv).update(ciphertext).update(headerBits)
  const decipher = createDecipheriv('aes-256-cbc', key.subarray(32), iv)
  const text = Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('latin1')
  return { text, tag: hmac.digest().subarray(0, 32) }
}

test('jose reads the documented headers, sub and iat from a token for any viewer at any time', async () => {
  const anySecond = fc.integer({ min: 1_000_000_000, max: 4_000_000_000 })
  await fc.assert(
    fc.asyncProperty(anySubject, anySecond, async (subject, seconds) => {
      const { header, claims } = await readWithJose(await buildViewerToken(subject, BUILD_KEYS, seconds))
      expect(header).toEqual({ alg: 'RS512', typ: 'JWT' })
      expect(claims).toEqual({ sub: subject, iat: seconds - 5 })
    }),
    { numRuns: 50 },
  )
})

test('every field of a token is as in RFC 7518', async () => {
  await fc.assert(
    fc.asyncProperty(anySubject, async (subject) => {
      const token = await buildViewerToken(subject, BUILD_KEYS, ISSUED_AT)
      const [header, encryptedKey, iv, ciphertext, tag] = partsOf(token)
      expect(JSON.parse(String(header))).toEqual({ alg: 'RSA-OAEP', enc: 'A256CBC-HS512', typ: 'JWT', kid: KID })
      expect([encryptedKey?.length, iv?.length, tag?.length]).toEqual([256, 16, 32])
      expect((ciphertext?.length ?? 1) % 16).toBe(0)
      const byHand = decryptByHand(token)
      expect(tag?.equals(byHand.tag)).toBe(true)
      expect(byHand.text).toBe((await readWithJose(token)).signed)
    }),
    { numRuns: 50 },
  )
})

test('a token whose encrypted key starts with a zero byte keeps that byte, and is accepted', async () => {
  let token = ''
  // One token in 256 has such a key. No such token in 6,000 is a fault in the randomness.
  for (let count = 0; count < 6000 && partsOf(token)[1]?.[0] !== 0; count += 1) {
    token = await buildViewerToken('ada', BUILD_KEYS, ISSUED_AT + 5)
  }
  expect(partsOf(token)[1]?.subarray(0, 1)).toEqual(Buffer.alloc(1))
  expect(partsOf(token)[1]).toHaveLength(256)
  expect((await readWithJose(token)).claims).toEqual({ sub: 'ada', iat: ISSUED_AT })
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT)).toMatchObject({ ok: true })
})

test('a kid with any characters stays as the service published it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }), async (kid) => {
      const serviceKey = { ...BUILD_KEYS.serviceKey, kid }
      const token = await buildViewerToken('ada', { ...BUILD_KEYS, serviceKey }, ISSUED_AT)
      expect(JSON.parse(String(partsOf(token)[0]))).toMatchObject({ kid })
      await readWithJose(token)
    }),
    { numRuns: 20 },
  )
})
