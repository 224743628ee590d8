import { expect, test } from 'vitest'
import { buildAuthenticationResponse, type ResponseParameters } from '../../src/hash-lock/authentication-response.ts'
import { PHP_VECTORS, SECRET } from './php-vectors.ts'

test.each(Object.entries(PHP_VECTORS))('a built response equals the one of PHP byte for byte: %s', (_name, vector) => {
  const { parameters, expiry, secret = SECRET, plain } = vector
  expect(buildAuthenticationResponse(parameters, expiry, secret)).toBe(plain)
})

test.each<[string, ResponseParameters, number | null, string]>([
  ['without parameters', [], null, 'A response needs at least one parameter'],
  ['with a bar in a value', [['user', 'a|b']], null, 'separates the hashed values'],
  ['with an empty value', [['user', '']], null, 'The value of the parameter "user" is empty'],
  ['with a NUL in a value', [['user', 'a\0b']], null, 'control character'],
  ['with a line end in a value', [['user', 'a\nb']], null, 'control character'],
  ['with a DEL in a value', [['user', 'a\x7f']], null, 'control character'],
  ['with a C1 control in a value', [['user', 'a\u0085b']], null, 'control character'],
  ['with a lone high surrogate', [['user', 'a\ud800']], null, 'lone surrogate'],
  ['with a lone low surrogate', [['user', '\udc00a']], null, 'lone surrogate'],
  ['with a value of 256 bytes', [['user', 'é'.repeat(128)]], null, 'longer than 255 bytes'],
  ['with a parameter named hash', [['hash', 'a']], null, '"hash" is reserved'],
  ['with a parameter named hashExpire', [['hashExpire', '9']], null, '"hashExpire" is reserved'],
  ['with a parameter named __proto__', [['__proto__', 'a']], null, '"__proto__" is reserved'],
  ['with a parameter without a name', [['', 'a']], null, 'The parameter name "" is empty'],
  [
    'with a parameter twice',
    [
      ['user', 'a'],
      ['user', 'b'],
    ],
    null,
    '"user" is named twice',
  ],
  ['with an expiry of 0', [['user', 'a']], 0, 'positive whole number'],
  ['with a negative expiry', [['user', 'a']], -1, 'positive whole number'],
  ['with a fraction as the expiry', [['user', 'a']], 1.5, 'positive whole number'],
  ['with an expiry that prints as 1e+21', [['user', 'a']], 1e21, 'positive whole number'],
  ['with an expiry that is too large for a whole number', [['user', 'a']], 2 ** 53, 'positive whole number'],
  ['with an expiry that is not a number', [['user', 'a']], Number.NaN, 'positive whole number'],
  ['with an infinite expiry', [['user', 'a']], Number.POSITIVE_INFINITY, 'positive whole number'],
  ['that is too long for an address', many(20, 'x'.repeat(255)), 9, 'send fewer or shorter parameters'],
])('a response %s is not built', (_name, parameters, expiry, sentence) => {
  const build = () => buildAuthenticationResponse(parameters, expiry, SECRET)
  expect(build).toThrow(RangeError)
  expect(build).toThrow(sentence)
})

test('a response of 4,096 bytes is built, and one more byte is refused', () => {
  const build = (length: number) =>
    buildAuthenticationResponse([...many(15, 'x'.repeat(255)), ['q', 'x'.repeat(length)]], null, SECRET)
  const spare = 4096 - build(1).length
  expect(build(1 + spare)).toHaveLength(4096)
  expect(() => build(2 + spare)).toThrow('longer than 4096 bytes')
})

test.each([
  ['an empty secret', ''],
  ['a lone surrogate in the secret', `${SECRET}\ud800`],
])('a response is not built with %s', (_name, secret) => {
  expect(() => buildAuthenticationResponse([['user', 'ada']], 9, secret)).toThrow(RangeError)
})

test.each([
  ['an empty name', '', 'marked'],
  ['a reserved name', 'hash', 'marked'],
  ['a bar', 'user', 'marked|'],
  ['a control character', 'user', 'marked\n'],
  ['a lone surrogate', 'user', 'marked\ud800'],
  ['its length', 'user', 'marked'.repeat(100)],
])('the error for %s does not repeat the value', (_name, name, value) => {
  const build = () => buildAuthenticationResponse([[name, value]], 9, SECRET)
  expect(build).toThrow(expect.objectContaining({ message: expect.not.stringContaining('marked') }))
})

function many(count: number, text: string): ResponseParameters {
  return Array.from({ length: count }, (_, index) => [`p${index}`, text] as const)
}
