import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  buildAuthenticationResponse,
  type ResponseParameters,
  responseHash,
} from '../../src/hash-lock/authentication-response.ts'
import { checkAuthenticationResponse } from '../../src/hash-lock/check-response.ts'
import { SECRET } from './php-vectors.ts'

const E_ACUTE_127 = 'é'.repeat(127)

/** Any valid value. Characters that need escaping are drawn often. */
const value = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
    fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(...'"\\/\'%+& #?=<>\u2028\ufffd\ufeffé渋0') }),
  )
  .filter((text) => !/[|\p{Cc}]/u.test(text) && text.isWellFormed() && Buffer.byteLength(text) <= 255)
const parameters = fc.uniqueArray(fc.tuple(value.filter(isName), value), {
  selector: ([name]) => name,
  minLength: 1,
  maxLength: 5,
})
const expiry = fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))

test('a verifier written from the specification alone accepts every built response', () => {
  fc.assert(
    fc.property(parameters, expiry, (list, expiresAt) => {
      const json = buildAuthenticationResponse(list, expiresAt, SECRET)
      expect(verifyBySpecification(json, SECRET, (expiresAt ?? 1) - 1)).toEqual(Object.fromEntries(list))
      expect(verifyBySpecification(json, `${SECRET}x`, 0)).toBeNull()
      if (expiresAt !== null) expect(verifyBySpecification(json, SECRET, expiresAt)).toBeNull()
    }),
  )
})

test('every built response is accepted, also in the escaping of PHP', () => {
  fc.assert(
    fc.property(parameters, expiry, (list, expiresAt) => {
      const json = buildAuthenticationResponse(list, expiresAt, SECRET)
      const accepted = { ok: true, parameters: new Map(list), expiresAtSeconds: expiresAt, isInOrder: true }
      expect(checkAuthenticationResponse(json, SECRET, 0)).toEqual(accepted)
      expect(checkAuthenticationResponse(asPhpEscapes(json), SECRET, 0)).toEqual(accepted)
    }),
  )
})

test('the longest response is accepted in the escaping of PHP, where each "é" has six characters', () => {
  const longest = many(15, E_ACUTE_127)
  const json = buildAuthenticationResponse(longest, 1_900_000_000, SECRET)
  expect(Buffer.byteLength(json)).toBeGreaterThan(4000)
  expect(checkAuthenticationResponse(asPhpEscapes(json), SECRET, 0).ok).toBe(true)
})

test('a changed character is noticed, except in a name, because names are not hashed', () => {
  const changes = { inName: 0, elsewhere: 0 }
  fc.assert(
    fc.property(parameters, expiry, fc.nat(), fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }), (...drawn) => {
      const [list, expiresAt, at, character] = drawn
      const json = buildAuthenticationResponse(list, expiresAt, SECRET)
      const characters = [...json]
      const position = at % characters.length
      fc.pre(characters[position] !== character)
      const altered = characters.with(position, character).join('')
      const check = checkAuthenticationResponse(altered, SECRET, 0)
      if (!check.ok) {
        changes.elsewhere += 1
        return
      }
      changes.inName += 1
      expect(check.expiresAtSeconds).toBe(expiresAt)
      expect([...check.parameters.values()]).toEqual(list.map(([, text]) => text))
      expect([...check.parameters.keys()]).not.toEqual(list.map(([name]) => name))
    }),
    { numRuns: 250 },
  )
  expect(changes.inName).toBeGreaterThan(15)
  expect(changes.elsewhere).toBeGreaterThan(200)
})

test('an added or removed character never changes a value or the expiry', () => {
  fc.assert(
    fc.property(
      parameters,
      expiry,
      fc.nat(),
      fc.option(fc.constantFrom(...'0123456789eE.-+"{}[],: \\')),
      (...drawn) => {
        const [list, expiresAt, at, added] = drawn
        const json = [...buildAuthenticationResponse(list, expiresAt, SECRET)]
        const altered =
          added === null ? json.toSpliced(at % json.length, 1) : json.toSpliced(at % json.length, 0, added)
        const check = checkAuthenticationResponse(altered.join(''), SECRET, 0)
        if (!check.ok) return
        expect(check.expiresAtSeconds).toBe(expiresAt)
        expect([...check.parameters.values()]).toEqual(list.map(([, text]) => text))
      },
    ),
    { numRuns: 200 },
  )
})

test('the check refuses arbitrary text and never throws', () => {
  const jsonish = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.jsonValue().map((json) => JSON.stringify([json])),
  )
  fc.assert(
    fc.property(jsonish, (text) => {
      expect(checkAuthenticationResponse(text, SECRET, 0).ok).toBe(false)
    }),
    { numRuns: 200 },
  )
})

test('two responses share a hash only if one is the other with its expiry renamed to a parameter', () => {
  const accepted = allSmall().filter(isBuilt)
  expect(accepted).toHaveLength((6 + 6 ** 2 + 6 ** 3) * EXPIRIES.length)
  const groups = [...groupedByHash(accepted).values()].filter((group) => group.length > 1)
  // Each list of one or two values with an expiry shares its hash with the list that ends with the expiry as a value.
  expect(groups).toHaveLength((6 + 6 ** 2) * 2)
  for (const group of groups) {
    const [stripped, original, ...others] = group.toSorted((one) => (one.expiresAt === null ? -1 : 1))
    expect(stripped).toEqual({ values: [...(original?.values ?? []), String(original?.expiresAt)], expiresAt: null })
    expect(others).toEqual([])
  }
})

test('more responses would share a hash if the builder refused no values', () => {
  const naive = [...groupedByHash(allSmall()).values()].filter((group) => group.length > 2)
  expect(naive.every((group) => !group.every(isBuilt))).toBe(true)
  expect(naive.length).toBeGreaterThan(100)
})

test('a response never expires once its expiry is renamed to a parameter (known weakness of the format)', () => {
  fc.assert(
    fc.property(parameters, fc.integer({ min: 1, max: 4_000_000_000 }), (list, expiresAt) => {
      fc.pre(list.every(([name]) => name !== 'x'))
      const json = buildAuthenticationResponse(list, expiresAt, SECRET)
      const stripped = json.replace(/\{"hashExpire":(\d+)\},(?=\{"hash":"[0-9a-f]{32}"\}\]$)/, '{"x":"$1"},')
      expect(checkAuthenticationResponse(stripped, SECRET, expiresAt + 1)).toEqual({
        ok: true,
        parameters: new Map([...list, ['x', String(expiresAt)]]),
        expiresAtSeconds: null,
        isInOrder: true,
      })
    }),
  )
})

test('names can be swapped, so no viewer may choose a hashed value (known weakness of the format)', () => {
  const json = buildAuthenticationResponse(
    [
      ['user', 'bob'],
      ['nick', 'admin'],
    ],
    9,
    SECRET,
  )
  const renamed = json.replace('"user"', '"other"').replace('"nick"', '"user"')
  const check = checkAuthenticationResponse(renamed, SECRET, 0)
  expect(check.ok && check.parameters.get('user')).toBe('admin')
})

/**
 * Verifies as the specification's paragraph "Authentication response" says. Shares no code with the code under test.
 */
function verifyBySpecification(json: string, secret: string, now: number): Record<string, string> | null {
  const found: Record<string, string> = {}
  let hashedText = ''
  let hash = ''
  for (const item of JSON.parse(json) as Record<string, string | number>[]) {
    expect(Object.keys(item)).toHaveLength(1)
    for (const name in item) {
      const text = item[name]
      if (name === 'hash') hash = `${text}`
      else hashedText += `${text}|`
      if (name === 'hashExpire' && !(Number(text) > now)) return null
      if (name !== 'hash' && name !== 'hashExpire') found[name] = `${text}`
    }
  }
  return createHash('md5')
    .update(Buffer.from(hashedText + secret, 'utf8'))
    .digest('hex') === hash
    ? found
    : null
}

/** Escapes JSON as PHP's json_encode does without flags. */
function asPhpEscapes(json: string): string {
  const escaped = json.replaceAll('/', '\\/').split('')
  return escaped
    .map((unit) => (unit < '\x80' ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`))
    .join('')
}

function many(count: number, text: string): ResponseParameters {
  return Array.from({ length: count }, (_, index) => [`p${index}`, text] as const)
}

function isName(name: string): boolean {
  return !['hash', 'hashExpire', '__proto__'].includes(name)
}

interface Signed {
  readonly values: readonly string[]
  readonly expiresAt: number | null
}

const EXPIRIES = [null, 1, 11] as const
/** All lists of one to three values, with each expiry. A value is one or two of the characters "a", "1" and "|". */
function allSmall(): Signed[] {
  const texts = ['a', '1', '|'].flatMap((first) => ['', 'a', '1', '|'].map((second) => first + second))
  const longer = (lists: string[][]) => lists.flatMap((list) => texts.map((text) => [...list, text]))
  const ofOne = texts.map((text) => [text])
  const lists = [...ofOne, ...longer(ofOne), ...longer(longer(ofOne))]
  return lists.flatMap((values) => EXPIRIES.map((expiresAt) => ({ values, expiresAt })))
}

function groupedByHash(all: readonly Signed[]): Map<string, Signed[]> {
  return Map.groupBy(all, (drawn) => responseHash(toParameters(drawn), drawn.expiresAt, SECRET))
}

function toParameters({ values }: Signed): ResponseParameters {
  return values.map((text, index) => [`p${index}`, text] as const)
}

function isBuilt(drawn: Signed): boolean {
  try {
    buildAuthenticationResponse(toParameters(drawn), drawn.expiresAt, SECRET)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
