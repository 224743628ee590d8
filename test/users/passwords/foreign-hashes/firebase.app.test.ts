import { expect, test } from 'vitest'
import { firebaseHash, readFirebaseParameters } from '../../../../src/users/passwords/foreign-hashes/firebase.ts'
import { knownPasswords } from '../../../../src/users/passwords/foreign-hashes/known-hashes.ts'
import { faultIn, needsRehash, verify } from '../hash-reading.ts'

/** The example of github.com/firebase/scrypt. */
const consoleText = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`
const hash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='
const salt = '42xEC+ixf3L2lw=='

function parametersOf(text: string) {
  const parameters = readFirebaseParameters(text)
  if ('fault' in parameters) throw new Error(parameters.fault)
  return parameters
}

test.each([
  ['as exported', hash, salt],
  ['in URL-safe base64', hash.replaceAll('+', '-').replaceAll('/', '_'), '42xEC-ixf3L2lw'],
])('a hash of Firebase %s is verified without the signer key', async (_form, exported, exportedSalt) => {
  const passwordHash = firebaseHash(parametersOf(consoleText), exported, exportedSalt) ?? ''
  expect(faultIn(knownPasswords, passwordHash)).toBeNull()
  expect(await verify(knownPasswords, passwordHash, 'user1password')).toBe(true)
  expect(await verify(knownPasswords, passwordHash, 'user1passwore')).toBe(false)
  expect(needsRehash(knownPasswords, passwordHash, 'user1password')).toBe(true)
})

test('the stored form of a hash of Firebase contains neither the signer key nor the exported hash', () => {
  const passwordHash = firebaseHash(parametersOf(consoleText), hash, salt)
  expect(passwordHash).toMatch(/^\$firebase-scrypt\$ln=14,r=8\$42xEC\+ixf3L2lwc\$/)
  for (const secret of [hash, 'jxspr8Ki0RYycVU8']) expect(passwordHash).not.toContain(secret.slice(0, 16))
})

test('the parameters of Firebase may be JSON', () => {
  const json = JSON.stringify({
    base64_signer_key: parametersOf(consoleText).signerKey.toString('base64'),
    base64_salt_separator: 'Bw==',
    rounds: 8,
    mem_cost: 14,
  })
  expect(readFirebaseParameters(json)).toEqual(readFirebaseParameters(consoleText))
})

test.each(['base64_signer_key', 'base64_salt_separator', 'rounds', 'mem_cost'])(
  'parameters of Firebase without %s are refused by its name',
  (name) => {
    const fault = expect.stringContaining(name)
    expect(readFirebaseParameters(consoleText.replace(name, 'other'))).toEqual({ fault })
  },
)

test.each([
  ['an empty hash', '', salt],
  ['a hash of another length', 'AAAA', salt],
  ['a salt that is not base64', hash, 'ä'],
])('%s is not a hash of Firebase', (_what, exported, exportedSalt) => {
  expect(firebaseHash(parametersOf(consoleText), exported, exportedSalt)).toBeNull()
})
