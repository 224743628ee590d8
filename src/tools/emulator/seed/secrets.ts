import { randomBytes, randomInt } from 'node:crypto'

/** Generates a password that is easy to read out and to type: syllables from a CSPRNG, 49 bits. */
export function readablePassword(): string {
  const consonants = 'bdfgklmnprstvz'
  const vowels = 'aeiou'
  const syllable = () => consonants.charAt(randomInt(consonants.length)) + vowels.charAt(randomInt(vowels.length))
  return Array.from({ length: 4 }, () => syllable() + syllable()).join('-')
}

/** Generates 40 hexadecimal characters from a CSPRNG, the form of every id, secret, code and token of the service. */
export function randomKey(): string {
  return randomBytes(20).toString('hex')
}
