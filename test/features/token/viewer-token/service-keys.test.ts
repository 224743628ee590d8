import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseServiceKeys } from '../../../../src/features/token/viewer-token/service-keys.ts'
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

/** A number in the form of a JWK. */
const numberOf = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
const MODULUS = Buffer.from(PUBLIC_JWK.n ?? '', 'base64url').toString('hex')

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
  ['of 8200 bits', { ...JWK, n: numberOf('ff'.repeat(1025)) }],
  ['without a modulus', { ...JWK, n: undefined }],
  ['with an even modulus', { ...JWK, n: numberOf(`${MODULUS.slice(0, -1)}0`) }],
  ['with the exponent 0', { ...JWK, e: numberOf('00') }],
  ['with the exponent 1', { ...JWK, e: numberOf('01') }],
  ['with the exponent 2', { ...JWK, e: numberOf('02') }],
  ['with the exponent 65536', { ...JWK, e: numberOf('010000') }],
  ['with an exponent of 33 bits', { ...JWK, e: numberOf('0100000001') }],
  ['with an exponent as long as the modulus', { ...JWK, e: numberOf('ff'.repeat(256)) }],
  ['that is null', null],
])('a key %s is ignored beside a good one, and is not enough alone', (_name, key) => {
  expect(kidsIn(key, JWK)).toEqual([KID])
  expect(() => kidsIn(key)).toThrow(RangeError)
})

test.each(['03', '010001', 'ffffffff'])('a key with the exponent 0x%s is accepted', (hex) => {
  expect(kidsIn({ ...JWK, e: numberOf(hex) })).toEqual([KID])
})

test.each([
  ['a wrong exponent', { ...JWK, e: numberOf('01') }, 'public exponent'],
  ['an even modulus', { ...JWK, n: numberOf(`${MODULUS.slice(0, -1)}0`) }, 'is damaged'],
])('a set with only a key with %s says so', (_name, key, part) => {
  expect(() => kidsIn(key)).toThrow(part)
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
