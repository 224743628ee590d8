import { threadPool } from '../../../server/thread-pool.ts'
import type { CryptJob } from './crypt-digests.ts'
import { derivation, TOO_COSTLY } from './derivation.ts'
import { formOf, type HashForm } from './hash-form.ts'

/**
 * Computes a digest in a thread, so that other requests go on: Node has no asynchronous function for these digests. The
 * number of parallel jobs is limited by server/work-queue.ts.
 */
const digestInThread = threadPool<CryptJob, Uint8Array>(new URL('./crypt-thread.ts', import.meta.url))
const cryptDigestInThread = async (job: CryptJob) => Buffer.from(await digestInThread(job))

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `$P$` of phpass (WordPress before 6.8, Drupal 6) and `$H$` of phpBB: logarithm of the rounds, salt, MD5. */
const PHPASS = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{21}[./01])$/
const LEAST_LOG2_ROUNDS = 7
/** 2^18 rounds take about half a second. WordPress uses 8,192. */
const MOST_LOG2_ROUNDS = 18

export const phpassForm = formOf(PHPASS, (setting, salt, encoded) => {
  const log2Rounds = ALPHABET.indexOf(setting)
  if (log2Rounds < LEAST_LOG2_ROUNDS || log2Rounds > 30) return null
  if (log2Rounds > MOST_LOG2_ROUNDS) return TOO_COSTLY
  const job = { algorithm: 'phpass', salt, rounds: 2 ** log2Rounds } as const
  return derivation(bytesOf(encoded), (password) => cryptDigestInThread({ ...job, password }))
})

/** SHA-256 (`$5$`) and SHA-512 (`$6$`), also with `rounds=N$` before the salt. Stray bits at the end are refused. */
const SHA_CRYPT = [
  {
    algorithm: 'sha256',
    pattern: /^\$5\$(?:rounds=([1-9]\d{3,9})\$)?([!-#%-9;-~]{0,16})\$([./0-9A-Za-z]{42}[./0-9A-D])$/,
    order: [...triples([20, 10, 0], 1, 10), 30, 31],
  },
  {
    algorithm: 'sha512',
    pattern: /^\$6\$(?:rounds=([1-9]\d{3,9})\$)?([!-#%-9;-~]{0,16})\$([./0-9A-Za-z]{85}[./01])$/,
    order: [...triples([42, 21, 0], 2, 21), 63],
  },
] as const
const DEFAULT_ROUNDS = 5000
/** A million rounds take about a second. passlib uses 656,000. */
const MOST_ROUNDS = 1_000_000

export const shaCryptForm: HashForm = (text) => {
  for (const { algorithm, pattern, order } of SHA_CRYPT) {
    const match = pattern.exec(text)
    if (!match) continue
    const [, rounds = DEFAULT_ROUNDS, salt = '', encoded = ''] = match
    if (Number(rounds) > MOST_ROUNDS) return TOO_COSTLY
    return cryptReading({ algorithm, salt, rounds: Number(rounds) }, reordered(bytesOf(encoded), order))
  }
  return null
}

/** MD5-crypt of Unix (`$1$`) and of Apache (`$apr1$`). */
const MD5_CRYPT = /^\$(1|apr1)\$([!-#%-9;-~]{0,8})\$([./0-9A-Za-z]{21}[./01])$/
const MD5_ORDER = [...triples([12, 6, 0], 0, 4), 5, 10, 4, 11]
const MD5_ROUNDS = 1000

export const md5CryptForm = formOf(MD5_CRYPT, (id, salt, encoded) => {
  const job = { algorithm: id === '1' ? 'md5' : 'apr1', salt, rounds: MD5_ROUNDS } as const
  const reading = cryptReading(job, reordered(bytesOf(encoded), MD5_ORDER))
  return { ...reading, weakness: 'is MD5-crypt, which attackers guess quickly' }
})

/** crypt(3) refuses longer passwords. The time of SHA-crypt grows with the square of the length. */
const MOST_PASSWORD_BYTES = 511

function cryptReading(job: Omit<CryptJob, 'password'>, expected: Buffer) {
  return derivation(expected, (password) =>
    Buffer.byteLength(password) > MOST_PASSWORD_BYTES ? Buffer.alloc(0) : cryptDigestInThread({ ...job, password }),
  )
}

/** Reads the base64 of crypt(3): three bytes (little-endian) are four characters, the lowest six bits first. */
function bytesOf(encoded: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let count = 0
  for (const character of encoded) {
    bits |= ALPHABET.indexOf(character) << count
    count += 6
    while (count >= 8) {
      bytes.push(bits & 0xff)
      bits >>= 8
      count -= 8
    }
  }
  return Buffer.from(bytes)
}

/**
 * Returns the places of the encoded bytes in the digest. They come in groups of three.
 * @param turn a group is the group before it, rotated left by so many places, each plus one.
 */
function triples(first: readonly number[], turn: number, count: number): number[] {
  const places = [...first]
  while (places.length < count * 3) {
    const last = places.slice(-3)
    places.push(...[...last.slice(turn), ...last.slice(0, turn)].map((place) => place + 1))
  }
  return places
}

function reordered(bytes: Buffer, order: readonly number[]): Buffer {
  const digest = Buffer.alloc(order.length)
  for (const [index, place] of order.entries()) digest[place] = bytes[index] ?? 0
  return digest
}
