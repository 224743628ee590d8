import { createHash, hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { derivation, type HashForm, TOO_COSTLY } from './hash-form.ts'

/** `{SSHA}` of LDAP directories, and its SHA-2 variants: base64 of the digest of password and salt, then the salt. */
const SALTED_SHA = /^\{(SSHA|SSHA256|SSHA512)\}([A-Za-z0-9+/]+={0,2})$/i
const SALTED_SHA_DIGESTS = new Map([
  ['SSHA', { name: 'sha1', bytes: 20 }],
  ['SSHA256', { name: 'sha256', bytes: 32 }],
  ['SSHA512', { name: 'sha512', bytes: 64 }],
])
const LONGEST_SALT_BYTES = 64

export const saltedShaForm: HashForm = (text) => {
  const match = SALTED_SHA.exec(text)
  const digest = SALTED_SHA_DIGESTS.get(match?.[1]?.toUpperCase() ?? '')
  if (!digest) return null
  const bytes = Buffer.from(match?.[2] ?? '', 'base64')
  const salt = bytes.subarray(digest.bytes)
  if (bytes.toString('base64') !== match?.[2] || salt.length < 1 || salt.length > LONGEST_SALT_BYTES) return null
  return derivation(bytes.subarray(0, digest.bytes), (password) =>
    createHash(digest.name).update(password).update(salt).digest(),
  )
}

/** `$P$` of phpass (WordPress before 6.8, Drupal 6) and `$H$` of phpBB: logarithm of the rounds, salt, MD5. */
const PHPASS = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{21}[./01])$/
const PHPASS_ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LEAST_LOG2_ROUNDS = 7
/** 2^18 rounds take about half a second. WordPress uses 8,192. */
const MOST_LOG2_ROUNDS = 18
/** phpass runs on the main thread. A pause after so many rounds, a few milliseconds, lets other requests run. */
const ROUNDS_BEFORE_PAUSE = 1024

export const phpassForm: HashForm = (text) => {
  const match = PHPASS.exec(text)
  if (!match) return null
  const [, setting = '', salt = '', encoded = ''] = match
  const log2Rounds = PHPASS_ALPHABET.indexOf(setting)
  if (log2Rounds < LEAST_LOG2_ROUNDS || log2Rounds > 30) return null
  if (log2Rounds > MOST_LOG2_ROUNDS) return TOO_COSTLY
  return derivation(fromPhpassBase64(encoded), (password) => derivePhpass(password, salt, 2 ** log2Rounds))
}

async function derivePhpass(password: string, salt: string, rounds: number): Promise<Buffer> {
  const text = Buffer.from(password)
  let digest = hash('md5', Buffer.concat([Buffer.from(salt), text]), 'buffer')
  for (let round = 1; round <= rounds; round += 1) {
    digest = hash('md5', Buffer.concat([digest, text]), 'buffer')
    if (round % ROUNDS_BEFORE_PAUSE === 0) await setImmediate()
  }
  return digest
}

/** phpass writes three bytes (little-endian) as four characters, the lowest six bits first. */
function fromPhpassBase64(encoded: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let count = 0
  for (const character of encoded) {
    bits |= PHPASS_ALPHABET.indexOf(character) << count
    count += 6
    while (count >= 8) {
      bytes.push(bits & 0xff)
      bits >>= 8
      count -= 8
    }
  }
  return Buffer.from(bytes)
}
