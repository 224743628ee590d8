import { expect, test } from 'vitest'
import { type Diagnosis, describeDiagnosis, diagnoseResponse } from '../../src/hash-lock/diagnosis.ts'

/** The hashes come from Python 3: hashlib.md5('|'.join(texts).encode()).hexdigest(). */
const SECRET = '0123456789abcdef0123456789abcdef01234567'
const BEFORE = 1_999_999_999

function response(...pairs: (readonly [string, unknown])[]): string {
  return JSON.stringify(pairs.map(([name, value]) => ({ [name]: value })))
}

const user = ['user', 'ada@example.com'] as const
const expiry = ['hashExpire', 2_000_000_000] as const
const goodHash = ['hash', '45e9d6338551a364162f9c61de66edc2'] as const
const ada = ['user', 'ada'] as const
const staff = ['group', 'staff'] as const

const verdicts: [string, string, Diagnosis][] = [
  [
    'a good response is good',
    response(user, expiry, goodHash),
    { kind: 'good', expiresAtSeconds: 2_000_000_000, isInOrder: true },
  ],
  [
    'an expiry as text is good',
    response(user, ['hashExpire', '2000000000'], goodHash),
    { kind: 'good', expiresAtSeconds: 2_000_000_000, isInOrder: true },
  ],
  [
    'a hash before the expiry is accepted with a warning',
    response(user, goodHash, expiry),
    { kind: 'good', expiresAtSeconds: 2_000_000_000, isInOrder: false },
  ],
  [
    'a "+" that was not percent-encoded is found',
    response(['user', 'ada tv@example.com'], expiry, ['hash', '435f8ceeb1a65850ddeed64ccea8a1f2']),
    { kind: 'plus-as-space' },
  ],
  [
    'a response without expiry is good for ever',
    response(user, ['hash', 'b8db6bd6acd97a796bfce165ea9c0bec']),
    { kind: 'good', expiresAtSeconds: null, isInOrder: true },
  ],
  [
    'an expiry renamed to a parameter is accepted with a warning',
    response(user, ['until', '2000000000'], goodHash),
    { kind: 'expiry-stripped', parameter: 'until' },
  ],
  [
    'the order in which parameters were hashed is found',
    response(ada, staff, expiry, ['hash', '4b348e747b0c5fdcb46831bb2e1478f4']),
    { kind: 'other-order', order: ['group', 'user', 'hashExpire'] },
  ],
  [
    'an expiry hashed before the parameters is found as another order',
    response(ada, staff, expiry, ['hash', 'ce0ce1573f5edf0034a116dda107aba3']),
    { kind: 'other-order', order: ['hashExpire', 'user', 'group'] },
  ],
  [
    'an expiry that was not hashed is found',
    response(ada, staff, expiry, ['hash', 'f93739f0a0dc846d05a35b362d0b9536']),
    { kind: 'without-expiry', order: null },
  ],
  [
    'an expiry that was not hashed is found together with another order',
    response(ada, staff, expiry, ['hash', '723955f687939a2de00a4c3ee321c41b']),
    { kind: 'without-expiry', order: ['group', 'user'] },
  ],
  [
    'a line end that was hashed as part of the secret is found',
    response(user, expiry, ['hash', '24a4082dea1cf191b98be5a93e8af625']),
    { kind: 'secret-with-white-space' },
  ],
  [
    'a wrong secret and an alteration get the same diagnosis',
    response(user, expiry, ['hash', 'e753dfb88845fe3edf2ca181c18c293b']),
    { kind: 'wrong-secret-or-altered' },
  ],
  [
    'a later expiry is found as an alteration',
    response(user, ['hashExpire', 2_100_000_000], goodHash),
    { kind: 'wrong-secret-or-altered' },
  ],
  [
    'the reverse order of eight parameters is found',
    response(...[...'abcdefgh'].map((name) => [name, name] as const), ['hash', 'dfee4261978f166f1171682fd6e29ade']),
    { kind: 'other-order', order: [...'hgfedcba'] },
  ],
  [
    'an arbitrary order of eight parameters is not searched',
    response(...[...'abcdefgh'].map((name) => [name, name] as const), ['hash', 'c6745b66b57df7de86bd6531da4e5df5']),
    { kind: 'wrong-secret-or-altered' },
  ],
]

test.each(verdicts)('%s', (_fact, json, expected) => {
  expect(diagnoseResponse(json, SECRET, BEFORE)).toEqual(expected)
})

test('a response is expired from the second of its expiry on, with the time since then', () => {
  const json = response(user, expiry, goodHash)
  expect(diagnoseResponse(json, SECRET, 2_000_000_000)).toEqual({ kind: 'expired', secondsAgo: 0 })
  expect(diagnoseResponse(json, SECRET, 2_000_000_090)).toEqual({ kind: 'expired', secondsAgo: 90 })
})

test.each([
  ['text that is not JSON', '[{', 'It is not JSON.'],
  ['a response that is percent-encoded twice', '%5B%7B%22user%22', 'It is percent-encoded twice.'],
  ['an object', '{"user":"ada"}', 'It must be a JSON array of objects with one key each.'],
  [
    'several keys in one object',
    '[{"user":"ada","hash":"0"}]',
    'Each item of the array must be an object with one key.',
  ],
  ['an empty array', '[]', 'The last object must be the hash.'],
  ['no hash at the end', response(goodHash, user), 'The last object must be the hash.'],
  ['a hash of another length', response(user, ['hash', '45e9']), /32 hexadecimal digits/],
  ['an upper-case hash', response(user, ['hash', goodHash[1].toUpperCase()]), 'The hash must be in lower case.'],
  ['an expiry before a parameter', response(expiry, user, goodHash), /directly before the hash/],
  ['an expiry as text with a leading zero', response(user, ['hashExpire', '02000000000'], goodHash), /whole number/],
  ['an expiry as text with a sign', response(user, ['hashExpire', '+2000000000'], goodHash), /whole number/],
  ['an expiry after the hash and a parameter', response(goodHash, user, expiry), /must be the hash/],
  ['an expiry with a fraction', response(user, ['hashExpire', 1.5], goodHash), /whole number/],
  ['a number as a value', response(['id', 7], expiry, goodHash), 'The value of "id" must be text.'],
  ['a name used twice', response(ada, ada, expiry, goodHash), 'The parameter "user" is named twice.'],
  ['a "|" in a value', response(['user', 'a|b'], goodHash), /contains "\|"/],
  ['no parameter', response(expiry, goodHash), /needs at least one parameter/],
  [
    'a response of 12 kB',
    response(...Array.from({ length: 150 }, (_, i) => [`p${i}`, 'x'.repeat(90)] as const), goodHash),
    /too long/,
  ],
])('the diagnosis of %s says what is malformed', (_fact, json, fault) => {
  const diagnosis = diagnoseResponse(json, SECRET, BEFORE)
  expect(diagnosis).toEqual({ kind: 'malformed', fault: expect.stringMatching(fault) })
})

test('an expiry in milliseconds is accepted with a warning', () => {
  const json = response(user, ['hashExpire', 2_000_000_000_000], ['hash', 'c17e57d485e7137890e387832ad11f6e'])
  expect(describeDiagnosis(diagnoseResponse(json, SECRET, BEFORE))).toMatch(/^Accepted with a warning: .*milliseconds/)
})

test('a sentence names parameters, and never a value or the secret', () => {
  const sentences = verdicts.map(([, json]) => describeDiagnosis(diagnoseResponse(json, SECRET, BEFORE)))
  expect(sentences).toContain(
    'Refused: the hash would match in this other order: group, user, hashExpire. The order in the response must be the order that was hashed.',
  )
  expect(sentences).toContain('Accepted until 2033-05-18T03:33:20.000Z.')
  for (const sentence of sentences) {
    expect(sentence).toMatch(/^(Accepted|Refused)/)
    expect(sentence).not.toMatch(/ada|staff|0123456789abcdef/)
  }
  expect(describeDiagnosis({ kind: 'expired', secondsAgo: 90 })).toBe('Refused: expired 90 s ago.')
  expect(describeDiagnosis(diagnoseResponse('[]', SECRET, BEFORE))).toBe(
    'Refused: malformed. The last object must be the hash.',
  )
})
