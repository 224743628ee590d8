import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { argon2Passwords, hashPassword } from '../../../src/users/passwords/argon2.ts'
import { faultIn, needsRehash, verify } from './hash-reading.ts'

// Vectors of the reference implementation's own tests (phc-winner-argon2, src/test.c).
const REFERENCE_ID = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
const REFERENCE_I = '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA'
const REFERENCE_I_OLD = '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ'

test.each([
  ['argon2id', REFERENCE_ID],
  ['argon2i', REFERENCE_I],
  ['argon2i of version 16', REFERENCE_I_OLD],
])('a hash of the reference implementation in %s is verified', async (_variant, reference) => {
  expect(faultIn(argon2Passwords, reference)).toBeNull()
  expect(await verify(argon2Passwords, reference, 'password')).toBe(true)
  expect(await verify(argon2Passwords, reference, 'Password')).toBe(false)
})

test('a new hash has the parameters of OWASP and its own salt', async () => {
  const one = await hashPassword('correct horse')
  const other = await hashPassword('correct horse')
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(one).not.toBe(other)
  expect(await verify(argon2Passwords, one, 'correct horse')).toBe(true)
  expect(needsRehash(argon2Passwords, one, '')).toBe(false)
})

test.each([
  ['spaces around a password', ' pass word ', 'pass word'],
  ['composed and decomposed letters', 'caf\u00e9 au lait', 'cafe\u0301 au lait'],
  ['characters after a NUL', 'before\0after', 'before'],
  ['bytes after the 72nd', `${'x'.repeat(72)}a`, `${'x'.repeat(72)}b`],
  ['an empty password and a space', '', ' '],
])('a comparison of passwords is exact for %s', async (_what, password, other) => {
  const stored = await hashPassword(password)
  expect(await verify(argon2Passwords, stored, password)).toBe(true)
  expect(await verify(argon2Passwords, stored, other)).toBe(false)
})

test('a password with a lone surrogate is never hashed or accepted', async () => {
  expect(() => hashPassword('half \uD800')).toThrow(RangeError)
  expect(await verify(argon2Passwords, await hashPassword('half \uFFFD'), 'half \uD800')).toBe(false)
})

test.each([
  ['all memory of the machine', '$argon2id$v=19$m=4194304000,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8'],
  ['endless passes', '$argon2id$v=19$m=19456,t=4294967295,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8'],
  ['much memory in many passes', '$argon2id$v=19$m=262144,t=5,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8'],
  ['255 lanes', '$argon2id$v=19$m=65536,t=2,p=255$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8'],
])('a hash that needs %s is refused without being computed', async (_what, greedy) => {
  expect(faultIn(argon2Passwords, greedy)).toMatch(/memory or time/)
  expect(await verify(argon2Passwords, greedy, 'password')).toBe(false)
})

test.each([
  ['an empty text', ''],
  ['a plain password', 'correct horse'],
  ['a truncated hash', REFERENCE_ID.slice(0, -40)],
  [
    'a hash with stray bits at its end',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPd',
  ],
  ['a hash of two kilobytes', `$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$${'A'.repeat(2000)}`],
])('a stored hash that is %s matches no password', async (_what, text) => {
  expect(faultIn(argon2Passwords, text)).toMatch(/no known form/)
  expect(await verify(argon2Passwords, text, text)).toBe(false)
})

test.each([
  ['fewer passes', { memoryCost: 19_456, timeCost: 1 }, true],
  ['less memory', { memoryCost: 9_216, timeCost: 4 }, true],
  ['more memory', { memoryCost: 47_104, timeCost: 1 }, false],
  ['more of both', { memoryCost: 65_536, timeCost: 3, parallelism: 4 }, false],
])('a hash with %s than today needs a rehash: %s', async (_what, costs, expected) => {
  expect(needsRehash(argon2Passwords, await hash('correct horse', costs), '')).toBe(expected)
})

test('a hash of argon2i needs a rehash, one of argon2id does not', () => {
  expect([REFERENCE_ID, REFERENCE_I, REFERENCE_I_OLD].map((text) => needsRehash(argon2Passwords, text, ''))).toEqual([
    false,
    true,
    true,
  ])
})

test('the dummy hash costs as much as a new hash and matches no password', async () => {
  const parameters = (text: string) => text.split('$').slice(0, 4).join('$')
  const real = await hashPassword('correct horse')
  expect(parameters(argon2Passwords.dummyHash)).toBe(parameters(real))
  expect(argon2Passwords.dummyHash).toHaveLength(real.length)
  expect(faultIn(argon2Passwords, argon2Passwords.dummyHash)).toBeNull()
  expect(await verify(argon2Passwords, argon2Passwords.dummyHash, '')).toBe(false)
})
