import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseServiceKeys } from '../../src/viewer-token/service-keys.ts'
import { KID } from './jwcrypto-vectors.ts'
import { BUILD_KEYS } from './token-keys.ts'

const PUBLIC_JWK = BUILD_KEYS.serviceKey.publicKey.export({ format: 'jwk' })
const JWK = { ...PUBLIC_JWK, use: 'enc', kid: KID }
const SHORT = {
  ...generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }),
  use: 'enc',
  kid: 'short',
}
const EC = {
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  use: 'enc',
  kid: 'ec',
}

const kidsIn = (...keys: unknown[]) => parseServiceKeys(JSON.stringify({ keys })).map(({ kid }) => kid)

test('the keys of the service stay in their order, the newest first', () => {
  expect(kidsIn({ ...JWK, kid: 'new' }, JWK)).toEqual(['new', KID])
  expect(parseServiceKeys(JSON.stringify({ keys: [JWK] }))[0].publicKey.equals(BUILD_KEYS.serviceKey.publicKey)).toBe(
    true,
  )
})

test.each([
  ['for signatures', { ...JWK, use: 'sig' }],
  ['without a use', { ...JWK, use: undefined }],
  ['without a kid', { ...JWK, kid: undefined }],
  ['with a number as kid', { ...JWK, kid: 7 }],
  ['of an elliptic curve', EC],
  ['of 1024 bits', SHORT],
  ['without a modulus', { ...JWK, n: undefined }],
  ['that is null', null],
])('a key %s is ignored beside a good one, and is not enough alone', (_name, key) => {
  expect(kidsIn(key, JWK)).toEqual([KID])
  expect(() => kidsIn(key)).toThrow(RangeError)
})

test('only the public part of a key is read', () => {
  const [{ publicKey }] = parseServiceKeys(JSON.stringify({ keys: [{ ...JWK, d: 'AAAA' }] }))
  expect(publicKey.type).toBe('public')
})

test('a set with only a short key says so', () => {
  expect(() => kidsIn(SHORT)).toThrow('1024 bits')
})

test.each(['', '<html>', 'null', '[]', '{}', '{"keys":{}}', '{"keys":[]}'])('the answer %s is refused', (json) => {
  expect(() => parseServiceKeys(json)).toThrow(RangeError)
})
