import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  buildAuthenticationResponse,
  checkAuthenticationResponse,
  parseAuthenticationResponse,
  type ResponseParameters,
} from '../../src/hash-lock/authentication-response.ts'
import { PHP_VECTORS, SECRET } from './php-vectors.ts'

describe('responses made by PHP', () => {
  test.each(Object.entries(PHP_VECTORS))('are built to the byte: %s', (_name, vector) => {
    const { parameters, expiry, secret = SECRET, plain } = vector
    expect(buildAuthenticationResponse(parameters, expiry, secret)).toBe(plain)
  })
  test.each(Object.entries(PHP_VECTORS))('are accepted in both ways PHP writes them: %s', (_name, vector) => {
    const { parameters, expiry, secret = SECRET, plain, escaped = plain } = vector
    const accepted = { ok: true, parameters: new Map(parameters), expiresAtSeconds: expiry }
    expect(checkAuthenticationResponse(plain, secret, 0)).toEqual(accepted)
    expect(checkAuthenticationResponse(escaped, secret, 0)).toEqual(accepted)
  })
  test('are accepted with white space between the parts, and keep their order', () => {
    const pretty =
      '[\n    {\n        "group": "staff"\n    },\n    {"user": "ada"}, {"seat":"12\\/B"},\r\n\t{"hashExpire": 2147483648}, {"hash":"0cff9579c732ba7ff2672456f66fb9c5"} ]\n'
    const check = checkAuthenticationResponse(pretty, SECRET, 0)
    expect(check.ok && [...check.parameters.keys()]).toEqual(['group', 'user', 'seat'])
  })
})

const GOOD = PHP_VECTORS['one parameter and an expiry']?.plain ?? ''
const TWICE =
  '[{"group":"staff"},{"user":"ada"},{"seat":"12/B"},{"hashExpire":2147483648},{"hash":"0cff9579c732ba7ff2672456f66fb9c5"}]'
const expired = { ok: false, reason: 'expired' }
const wrongHash = { ok: false, reason: 'wrong-hash' }
const malformed = { ok: false, reason: 'malformed' }

describe('a response is refused', () => {
  test.each([
    ['at the second it expires', GOOD, 1_900_000_000, expired],
    ['after it', GOOD, 1_900_000_001, expired],
    ['when the time is not known', GOOD, Number.NaN, expired],
    ['with a later expiry', GOOD.replace('1900000000', '1900000001'), 0, wrongHash],
    ['with a later expiry although that has not passed', GOOD.replace('1900000000', '9900000000'), 0, wrongHash],
    ['when altered and past: that it was altered counts', GOOD.replace('19', '18'), 1_900_000_000, wrongHash],
    ['with its expiry left out', GOOD.replace('{"hashExpire":1900000000},', ''), 0, wrongHash],
    ['with another value', GOOD.replace('ada', 'bob'), 0, wrongHash],
    ['with a value in another case', GOOD.replace('ada', 'Ada'), 0, wrongHash],
    ['with another hash', GOOD.replace('a661', 'a662'), 0, wrongHash],
    ['with two parameters in the other order', swapFirstTwo(TWICE), 0, wrongHash],
    ['with a parameter more', GOOD.replace('[', '[{"group":"staff"},'), 0, wrongHash],
    [
      'with a letter decomposed on the way',
      '[{"user":"Jose\u0301"},{"hash":"be8a350b5f258a9604efdbd2cce849d7"}]',
      0,
      wrongHash,
    ],
  ])('%s', (_name, json, now, verdict) => {
    expect(checkAuthenticationResponse(json, SECRET, now)).toEqual(verdict)
  })
  test('up to its expiry it is accepted, to the last fraction of a second', () => {
    expect(checkAuthenticationResponse(GOOD, SECRET, 1_899_999_999.999).ok).toBe(true)
  })
  test.each([
    ['another secret', '3f9a1c7be2d84560af13c9d27e6b8046'],
    ['the secret in upper case', SECRET.toUpperCase()],
    ['a line end behind the secret', `${SECRET}\n`],
  ])('under %s', (_name, secret) => {
    expect(checkAuthenticationResponse(GOOD, secret, 0)).toEqual(wrongHash)
  })
  test('never against an empty secret: anyone can compute that hash', () => {
    const forged = `[{"user":"eve"},{"hash":"${createHash('md5').update('eve|').digest('hex')}"}]`
    expect(() => checkAuthenticationResponse(forged, '', 0)).toThrow(RangeError)
  })
})

/** The hash is right for the values in each of these: only the form is wrong. */
describe('a response is malformed', () => {
  const hashOf = (...texts: string[]) =>
    createHash('md5')
      .update([...texts, SECRET].join('|'))
      .digest('hex')
  const ada = `{"hash":"${hashOf('ada')}"}`
  const adaUntil9 = `{"hash":"${hashOf('ada', '9')}"}`
  test.each([
    ['that is empty', ''],
    ['that signals failure', 'false'],
    ['that is not JSON', '[{"user":"ada"}'],
    ['with something behind it', `[{"user":"ada"},${ada}]]`],
    ['with a byte order mark', `\ufeff[{"user":"ada"},${ada}]`],
    ['that is percent-encoded still', encodeURIComponent(`[{"user":"ada"},${ada}]`)],
    ['that is null', 'null'],
    ['that is an object', `{"user":"ada","hash":"${hashOf('ada')}"}`],
    ['of one object for all', `[{"user":"ada","hash":"${hashOf('ada')}"}]`],
    ['with an empty object', `[{"user":"ada"},{},${ada}]`],
    ['with a key too many in an object', `[{"user":"ada","group":"staff"},${ada}]`],
    ['with an array of one text for an object', `[["ada"],${ada}]`],
    ['with an array for an object', `[["user","ada"],${ada}]`],
    ['with a text for an object', `["ada",${ada}]`],
    ['with null for an object', `[null,{"user":"ada"},${ada}]`],
    ['without parameters', `[{"hash":"${hashOf()}"}]`],
    ['with only an expiry', `[{"hashExpire":9},{"hash":"${hashOf('9')}"}]`],
    ['without a hash', '[{"user":"ada"}]'],
    ['with the hash first', `[${ada},{"user":"ada"}]`],
    ['with two hashes', `[{"user":"ada"},${ada},${ada}]`],
    ['with a hash in upper case', `[{"user":"ada"},${ada.toUpperCase().replace('HASH', 'hash')}]`],
    ['with a hash cut short', `[{"user":"ada"},${ada.replace(/.("})$/, '$1')}]`],
    ['with a hash that is a number', '[{"user":"ada"},{"hash":12345678901234567890123456789012}]'],
    ['with a hash of null', '[{"user":"ada"},{"hash":null}]'],
    ['with a number for a value', `[{"user":7},{"hash":"${hashOf('7')}"}]`],
    ['with a list for a value', `[{"user":["ada"]},${ada}]`],
    ['with true for a value', `[{"user":true},{"hash":"${hashOf('true')}"}]`],
    ['with null for a value', `[{"user":null},{"hash":"${hashOf('')}"}]`],
    ['with an empty value', `[{"user":""},{"hash":"${hashOf('')}"}]`],
    ['with a bar in a value', `[{"user":"ada|staff"},{"hash":"${hashOf('ada', 'staff')}"}]`],
    ['with an escaped bar in a value', `[{"user":"ada\\u007cstaff"},{"hash":"${hashOf('ada', 'staff')}"}]`],
    ['with a control character in a value', `[{"user":"ada\\u0000"},{"hash":"${hashOf('ada\0')}"}]`],
    ['with half a character in a value', `[{"user":"ada\\ud800"},{"hash":"${hashOf('ada\ufffd')}"}]`],
    ['with a value of 256 bytes', `[{"user":"${'é'.repeat(128)}"},{"hash":"${hashOf('é'.repeat(128))}"}]`],
    ['with a parameter twice', `[{"user":"ada"},{"user":"bob"},{"hash":"${hashOf('ada', 'bob')}"}]`],
    ['with a parameter named __proto__', `[{"__proto__":"ada"},${ada}]`],
    ['with a parameter without a name', `[{"":"ada"},${ada}]`],
    ['with an expiry as text', `[{"user":"ada"},{"hashExpire":"9"},${adaUntil9}]`],
    ['with an expiry before a parameter', `[{"hashExpire":9},{"user":"ada"},{"hash":"${hashOf('9', 'ada')}"}]`],
    ['with two expiries', `[{"user":"ada"},{"hashExpire":9},{"hashExpire":9},{"hash":"${hashOf('ada', '9', '9')}"}]`],
    ['with an expiry of 0', `[{"user":"ada"},{"hashExpire":0},{"hash":"${hashOf('ada', '0')}"}]`],
    ['with a negative expiry', `[{"user":"ada"},{"hashExpire":-9},{"hash":"${hashOf('ada', '-9')}"}]`],
    ['with a fraction for an expiry', `[{"user":"ada"},{"hashExpire":9.5},{"hash":"${hashOf('ada', '9.5')}"}]`],
    [
      'with an expiry beyond whole numbers',
      `[{"user":"ada"},{"hashExpire":1e21},{"hash":"${hashOf('ada', '1e+21')}"}]`,
    ],
    ['with an expiry of null', `[{"user":"ada"},{"hashExpire":null},{"hash":"${hashOf('ada')}"}]`],
    ['with an expiry with a leading zero', `[{"user":"ada"},{"hashExpire":09},${adaUntil9}]`],
    ['that is longer than any response', `${' '.repeat(20_000)}[{"user":"ada"},${ada}]`],
  ])('%s', (_name, json) => {
    expect(checkAuthenticationResponse(json, SECRET, 0)).toEqual(malformed)
  })
  test('only by its form: in the right one the same hash is accepted', () => {
    expect(checkAuthenticationResponse(`[{"user":"ada"},${ada}]`, SECRET, 0).ok).toBe(true)
    expect(checkAuthenticationResponse(`[{"user":"ada"},{"hashExpire":9},${adaUntil9}]`, SECRET, 8).ok).toBe(true)
  })
})

describe('a response is not built', () => {
  test.each<[string, ResponseParameters, number | null, string]>([
    ['without parameters', [], null, 'A response needs one parameter at least'],
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
    ['with a fraction for an expiry', [['user', 'a']], 1.5, 'positive whole number'],
    ['with an expiry that prints as 1e+21', [['user', 'a']], 1e21, 'positive whole number'],
    ['with an expiry beyond whole numbers', [['user', 'a']], 2 ** 53, 'positive whole number'],
    ['with an expiry that is not a number', [['user', 'a']], Number.NaN, 'positive whole number'],
    ['without end', [['user', 'a']], Number.POSITIVE_INFINITY, 'positive whole number'],
    ['longer than an address can carry', many(20, 'x'.repeat(255)), 9, 'send fewer or shorter parameters'],
  ])('%s', (_name, parameters, expiry, sentence) => {
    const build = () => buildAuthenticationResponse(parameters, expiry, SECRET)
    expect(build).toThrow(RangeError)
    expect(build).toThrow(sentence)
  })
  test.each([
    ['an empty secret', ''],
    ['half a character in the secret', `${SECRET}\ud800`],
  ])('with %s', (_name, secret) => {
    expect(() => buildAuthenticationResponse([['user', 'ada']], 9, secret)).toThrow(RangeError)
  })
  test.each([
    ['an empty name', '', 'marked'],
    ['a reserved name', 'hash', 'marked'],
    ['a bar', 'user', 'marked|'],
    ['a control character', 'user', 'marked\n'],
    ['half a character', 'user', 'marked\ud800'],
    ['its length', 'user', 'marked'.repeat(100)],
  ])('and the sentence repeats no value: refused for %s', (_name, name, value) => {
    const build = () => buildAuthenticationResponse([[name, value]], 9, SECRET)
    expect(build).toThrow(expect.objectContaining({ message: expect.not.stringContaining('marked') }))
  })
})

describe('the parts of a response', () => {
  test('are given unverified, repeated and odd names kept', () => {
    const json = `[{"user":"a"},{"user":"b|c"},{"__proto__":"d"},{"hashExpire":7},{"hash":"${'0'.repeat(32)}"}]`
    expect(parseAuthenticationResponse(json)).toEqual({
      parameters: [
        ['user', 'a'],
        ['user', 'b|c'],
        ['__proto__', 'd'],
      ],
      expiresAtSeconds: 7,
      hash: '0'.repeat(32),
    })
  })
})

function swapFirstTwo(json: string): string {
  const [first, second, ...rest] = JSON.parse(json) as unknown[]
  return JSON.stringify([second, first, ...rest])
}

function many(count: number, text: string): ResponseParameters {
  return Array.from({ length: count }, (_, index) => [`p${index}`, text] as const)
}
