import { execFileSync } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { knownPasswords } from '../../../../src/users/passwords/foreign-hashes/known-hashes.ts'
import { faultIn, verify } from '../hash-reading.ts'

/** Makes a hash with `openssl passwd`, which implements crypt(3) on its own. */
function opensslHash(algorithm: string, salt: string, password: string): string {
  return execFileSync('openssl', ['passwd', `-${algorithm}`, '-salt', salt, '-stdin'], {
    input: `${password}\n`,
    encoding: 'utf8',
  }).trim()
}

test('hashes that openssl makes of any password and salt are verified', async () => {
  const algorithm = fc.constantFrom('1', 'apr1', '5', '6')
  const salt = fc.string({ unit: fc.constantFrom(...'./09AZaz'), minLength: 1, maxLength: 8 })
  const rounds = fc.constantFrom('', 'rounds=1000$', 'rounds=1234$')
  // openssl reads at most 256 bytes, and one line.
  const password = fc
    .oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }), fc.string({ minLength: 60, maxLength: 250 }))
    .filter((text) => !/[\0\r\n]/.test(text) && Buffer.byteLength(text) <= 250)
  await fc.assert(
    fc.asyncProperty(algorithm, salt, rounds, password, async (name, plainSalt, prefix, text) => {
      const passwordHash = opensslHash(name, name.length === 1 && name > '1' ? prefix + plainSalt : plainSalt, text)
      expect(faultIn(knownPasswords, passwordHash)).toBeNull()
      expect(await verify(knownPasswords, passwordHash, text)).toBe(true)
      expect(await verify(knownPasswords, passwordHash, `${text.slice(0, -1)}\u{2603}`)).toBe(false)
    }),
    { numRuns: 40 },
  )
})

test('a password that crypt(3) refuses for its length does not match', async () => {
  // From libxcrypt, with 511 bytes.
  const passwordHash =
    '$6$rounds=1000$abc$Vj3d/5d9oCHFt5rubeJgZLpJ0NN8VU.EBFskYA14K8KvKaBuSHIkMY6HFOppSVcX0hQNLF1/Rxycsq3N5f40N1'
  expect(await verify(knownPasswords, passwordHash, 'x'.repeat(511))).toBe(true)
  expect(await verify(knownPasswords, passwordHash, 'x'.repeat(512))).toBe(false)
})

test.each([
  ['phpass', '$P$FiS0N5L672xzQx1rt1vgdJQRYKnQM9/', 'compL3X!'],
  [
    'SHA-crypt',
    '$6$rounds=100000$abc$A8xHUvAbdEoDLKbd85kIMg8ev.m7ZRJAXkv0AyiUNnLN8JsH9gHSCzf.CBauw6cg8OMIxDFvJWj5o3upJse4n1',
    'compL3X!',
  ],
])('a costly hash of %s does not block the event loop', async (_form, passwordHash, password) => {
  let turns = 0
  let isDone = false
  const verified = verify(knownPasswords, passwordHash, password).finally(() => {
    isDone = true
  })
  while (!isDone) {
    await setImmediate()
    turns += 1
  }
  expect(await verified).toBe(true)
  // More than 100,000 rounds, about 0.1 s. On the main thread, there would be few turns.
  expect(turns).toBeGreaterThan(100)
})

test('parallel verifications each get their own result', async () => {
  const passwords = ['heron', 'ladder', 'battery']
  const hashes = passwords.map((password) => opensslHash('5', 'rounds=1000$abc', password))
  const results = await Promise.all(hashes.map((passwordHash) => verify(knownPasswords, passwordHash, 'ladder')))
  expect(results).toEqual([false, true, false])
})
