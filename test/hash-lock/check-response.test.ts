import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkAuthenticationResponse, parseAuthenticationResponse } from '../../src/hash-lock/check-response.ts'
import { PHP_VECTORS, SECRET } from './php-vectors.ts'

test.each(Object.entries(PHP_VECTORS))('a response of PHP is accepted plain and escaped: %s', (_name, vector) => {
  const { parameters, expiry, secret = SECRET, plain, escaped = plain } = vector
  const accepted = { ok: true, parameters: new Map(parameters), expiresAtSeconds: expiry, isInOrder: true }
  expect(checkAuthenticationResponse(plain, secret, 0)).toEqual(accepted)
  expect(checkAuthenticationResponse(escaped, secret, 0)).toEqual(accepted)
})

/** Made with these programs from the same values, of which each escapes others. */
test.each([
  [
    'PHP 8.2, json_encode',
    `[{"user":"O'N\\u00e9<il>&Co\\/=+"},{"name":"\\ud83d\\ude00 \\u2028\\"x\\\\y"},{"hashExpire":1900000000},{"hash":"d590c055832398b5277e5a1a24221035"}]`,
    true,
  ],
  [
    '.NET (Mono 6.8), JavaScriptSerializer',
    `[{"user":"O\\u0027Né\\u003cil\\u003e&Co/=+"},{"name":"😀 \u2028\\"x\\\\y"},{"hashExpire":"1900000000"},{"hash":"d590c055832398b5277e5a1a24221035"}]`,
    true,
  ],
  [
    'Java 17, Gson 2.10',
    `[{"user":"O\\u0027Né\\u003cil\\u003e\\u0026Co/\\u003d+"},{"name":"😀 \\u2028\\"x\\\\y"},{"hashExpire":"1900000000"},{"hash":"d590c055832398b5277e5a1a24221035"}]`,
    true,
  ],
  [
    'Python 3.11, json.dumps',
    `[{"user": "O'N\\u00e9<il>&Co/=+"}, {"name": "\\ud83d\\ude00 \\u2028\\"x\\\\y"}, {"hashExpire": 1900000000}, {"hash": "d590c055832398b5277e5a1a24221035"}]`,
    true,
  ],
  [
    'Python 3.11, the hash first',
    `[{"user": "O'Né<il>&Co/=+"}, {"name": "😀 \u2028\\"x\\\\y"}, {"hash": "d590c055832398b5277e5a1a24221035"}, {"hashExpire": 1900000000}]`,
    false,
  ],
  [
    'Perl 5.36, JSON::PP',
    `[{"user":"O'N\\u00e9<il>&Co/=+"},{"name":"\\ud83d\\ude00 \\u2028\\"x\\\\y"},{"hashExpire":"1900000000"},{"hash":"d590c055832398b5277e5a1a24221035"}]`,
    true,
  ],
  [
    'Ruby 3.1, JSON.generate',
    `[{"user":"O'Né<il>&Co/=+"},{"name":"😀 \u2028\\"x\\\\y"},{"hashExpire":1900000000},{"hash":"d590c055832398b5277e5a1a24221035"}]`,
    true,
  ],
])('a response of %s is accepted', (_builder, json, isInOrder) => {
  const parameters = new Map([
    ['user', "O'Né<il>&Co/=+"],
    ['name', '😀 \u2028"x\\y'],
  ])
  expect(checkAuthenticationResponse(json, SECRET, 0)).toEqual({
    ok: true,
    parameters,
    expiresAtSeconds: 1_900_000_000,
    isInOrder,
  })
})

test('a response with white space is accepted, and its parameters keep their order', () => {
  const pretty =
    '[\n    {\n        "group": "staff"\n    },\n    {"user": "ada"}, {"seat":"12\\/B"},\r\n\t{"hashExpire": 2147483648}, {"hash":"0cff9579c732ba7ff2672456f66fb9c5"} ]\n'
  const check = checkAuthenticationResponse(pretty, SECRET, 0)
  expect(check.ok && [...check.parameters.keys()]).toEqual(['group', 'user', 'seat'])
})

const GOOD = PHP_VECTORS['one parameter and an expiry']?.plain ?? ''
const TWICE =
  '[{"group":"staff"},{"user":"ada"},{"seat":"12/B"},{"hashExpire":2147483648},{"hash":"0cff9579c732ba7ff2672456f66fb9c5"}]'
const expired = { ok: false, reason: 'expired' }
const wrongHash = { ok: false, reason: 'wrong-hash' }
const malformed = { ok: false, reason: 'malformed' }

test.each([
  ['in the second of its expiry', GOOD, 1_900_000_000, expired],
  ['after its expiry', GOOD, 1_900_000_001, expired],
  ['when the current time is unknown', GOOD, Number.NaN, expired],
  ['with a later expiry', GOOD.replace('1900000000', '1900000001'), 0, wrongHash],
  ['with a later expiry that has not passed', GOOD.replace('1900000000', '9900000000'), 0, wrongHash],
  ['that is altered and expired (as altered)', GOOD.replace('19', '18'), 1_900_000_000, wrongHash],
  ['without its expiry', GOOD.replace('{"hashExpire":1900000000},', ''), 0, wrongHash],
  ['with a changed value', GOOD.replace('ada', 'bob'), 0, wrongHash],
  ['with a value in another case', GOOD.replace('ada', 'Ada'), 0, wrongHash],
  ['with a changed hash', GOOD.replace('a661', 'a662'), 0, wrongHash],
  ['with two parameters swapped', swapFirstTwo(TWICE), 0, wrongHash],
  ['with an added parameter', GOOD.replace('[', '[{"group":"staff"},'), 0, wrongHash],
  [
    'with a letter that was decomposed on the way',
    '[{"user":"Jose\u0301"},{"hash":"be8a350b5f258a9604efdbd2cce849d7"}]',
    0,
    wrongHash,
  ],
])('a response %s is refused', (_name, json, now, verdict) => {
  expect(checkAuthenticationResponse(json, SECRET, now)).toEqual(verdict)
})

test('a response is accepted until the last fraction of a second before its expiry', () => {
  expect(checkAuthenticationResponse(GOOD, SECRET, 1_899_999_999.999).ok).toBe(true)
})

test.each([
  ['another secret', '3f9a1c7be2d84560af13c9d27e6b8046'],
  ['the secret in upper case', SECRET.toUpperCase()],
  ['a secret with a line end', `${SECRET}\n`],
])('a response is refused under %s', (_name, secret) => {
  expect(checkAuthenticationResponse(GOOD, secret, 0)).toEqual(wrongHash)
})

test('an empty secret is refused, because anyone can compute that hash', () => {
  const forged = `[{"user":"eve"},{"hash":"${createHash('md5').update('eve|').digest('hex')}"}]`
  expect(() => checkAuthenticationResponse(forged, '', 0)).toThrow(RangeError)
})

/** Each hash is right for its values: only the form is wrong. */
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
    ['with text after it', `[{"user":"ada"},${ada}]]`],
    ['with a byte order mark', `\ufeff[{"user":"ada"},${ada}]`],
    ['that is still percent-encoded', encodeURIComponent(`[{"user":"ada"},${ada}]`)],
    ['that is null', 'null'],
    ['that is an object', `{"user":"ada","hash":"${hashOf('ada')}"}`],
    ['with all keys in one object', `[{"user":"ada","hash":"${hashOf('ada')}"}]`],
    ['with an empty object', `[{"user":"ada"},{},${ada}]`],
    ['with two keys in an object', `[{"user":"ada","group":"staff"},${ada}]`],
    ['with an array of one text in place of an object', `[["ada"],${ada}]`],
    ['with an array in place of an object', `[["user","ada"],${ada}]`],
    ['with a text in place of an object', `["ada",${ada}]`],
    ['with null in place of an object', `[null,{"user":"ada"},${ada}]`],
    ['without parameters', `[{"hash":"${hashOf()}"}]`],
    ['with only an expiry', `[{"hashExpire":9},{"hash":"${hashOf('9')}"}]`],
    ['without a hash', '[{"user":"ada"}]'],
    ['with the hash first', `[${ada},{"user":"ada"}]`],
    ['with two hashes', `[{"user":"ada"},${ada},${ada}]`],
    ['with a hash in upper case', `[{"user":"ada"},${ada.toUpperCase().replace('HASH', 'hash')}]`],
    ['with a truncated hash', `[{"user":"ada"},${ada.replace(/.("})$/, '$1')}]`],
    ['with text before the hash', `[{"user":"ada"},${ada.replace(':"', ':"0')}]`],
    ['with text after the hash', `[{"user":"ada"},${ada.replace('"}', '0"}')}]`],
    ['with the hash under another name', `[{"user":"ada"},${ada.replace('hash', 'sum')}]`],
    ['with a list as the hash', `[{"user":"ada"},{"hash":["${hashOf('ada')}"]}]`],
    ['with a hash that is a number', '[{"user":"ada"},{"hash":12345678901234567890123456789012}]'],
    ['with null as the hash', '[{"user":"ada"},{"hash":null}]'],
    ['with a number as a value', `[{"user":7},{"hash":"${hashOf('7')}"}]`],
    ['with a list as a value', `[{"user":["ada"]},${ada}]`],
    ['with true as a value', `[{"user":true},{"hash":"${hashOf('true')}"}]`],
    ['with null as a value', `[{"user":null},{"hash":"${hashOf('')}"}]`],
    ['with an empty value', `[{"user":""},{"hash":"${hashOf('')}"}]`],
    ['with a bar in a value', `[{"user":"ada|staff"},{"hash":"${hashOf('ada', 'staff')}"}]`],
    ['with an escaped bar in a value', `[{"user":"ada\\u007cstaff"},{"hash":"${hashOf('ada', 'staff')}"}]`],
    ['with a control character in a value', `[{"user":"ada\\u0000"},{"hash":"${hashOf('ada\0')}"}]`],
    ['with a lone surrogate in a value', `[{"user":"ada\\ud800"},{"hash":"${hashOf('ada\ufffd')}"}]`],
    ['with a value of 256 bytes', `[{"user":"${'é'.repeat(128)}"},{"hash":"${hashOf('é'.repeat(128))}"}]`],
    ['with a parameter twice', `[{"user":"ada"},{"user":"bob"},{"hash":"${hashOf('ada', 'bob')}"}]`],
    ['with a parameter named __proto__', `[{"__proto__":"ada"},${ada}]`],
    ['with a parameter without a name', `[{"":"ada"},${ada}]`],
    ['with an expiry as a text of another form', `[{"user":"ada"},{"hashExpire":"9.0"},${adaUntil9}]`],
    [
      'with an expiry after the hash and another one',
      `[{"user":"ada"},{"hashExpire":9},${adaUntil9},{"hashExpire":9}]`,
    ],
    ['with an expiry before a parameter', `[{"hashExpire":9},{"user":"ada"},{"hash":"${hashOf('9', 'ada')}"}]`],
    ['with two expiries', `[{"user":"ada"},{"hashExpire":9},{"hashExpire":9},{"hash":"${hashOf('ada', '9', '9')}"}]`],
    ['with an expiry of 0', `[{"user":"ada"},{"hashExpire":0},{"hash":"${hashOf('ada', '0')}"}]`],
    ['with a negative expiry', `[{"user":"ada"},{"hashExpire":-9},{"hash":"${hashOf('ada', '-9')}"}]`],
    ['with a fraction as the expiry', `[{"user":"ada"},{"hashExpire":9.5},{"hash":"${hashOf('ada', '9.5')}"}]`],
    [
      'with an expiry that is too large for a whole number',
      `[{"user":"ada"},{"hashExpire":1e21},{"hash":"${hashOf('ada', '1e+21')}"}]`,
    ],
    ['with null as the expiry', `[{"user":"ada"},{"hashExpire":null},{"hash":"${hashOf('ada')}"}]`],
    ['with an expiry with a leading zero', `[{"user":"ada"},{"hashExpire":09},${adaUntil9}]`],
    ['that is longer than any response', `${' '.repeat(20_000)}[{"user":"ada"},${ada}]`],
  ])('a response %s is malformed', (_name, json) => {
    expect(checkAuthenticationResponse(json, SECRET, 0)).toEqual(malformed)
  })
  test('the same hash is accepted in a well-formed response', () => {
    expect(checkAuthenticationResponse(`[{"user":"ada"},${ada}]`, SECRET, 0).ok).toBe(true)
    expect(checkAuthenticationResponse(`[{"user":"ada"},{"hashExpire":9},${adaUntil9}]`, SECRET, 8).ok).toBe(true)
  })
})

test.each([
  [12_288, true],
  [12_289, false],
])('a response of %i bytes, as with escaped characters, is accepted: %s', (bytes, isAccepted) => {
  expect(checkAuthenticationResponse(GOOD.padEnd(bytes), SECRET, 0).ok).toBe(isAccepted)
})

test('a parsed response is not verified, and keeps repeated and odd names', () => {
  const json = `[{"user":"a"},{"user":"b|c"},{"__proto__":"d"},{"hashExpire":7},{"hash":"${'0'.repeat(32)}"}]`
  expect(parseAuthenticationResponse(json)).toEqual({
    parameters: [
      ['user', 'a'],
      ['user', 'b|c'],
      ['__proto__', 'd'],
    ],
    expiresAtSeconds: 7,
    hash: '0'.repeat(32),
    isInOrder: true,
  })
})

function swapFirstTwo(json: string): string {
  const [first, second, ...rest] = JSON.parse(json) as unknown[]
  return JSON.stringify([second, first, ...rest])
}
