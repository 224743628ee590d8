import { randomBytes } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { orUndefined } from '../../errors.ts'

/** A parsed hash, or why no password can be verified against it. The fault ends a sentence that begins with the hash. */
export type HashReading = UsableHash | { readonly ok: false; readonly fault: string }

export interface UsableHash {
  readonly ok: true
  /** True if the hash is of this password, byte for byte in UTF-8. */
  verify(password: string): Promise<boolean>
  /**
   * True if a new hash of this password, which was just verified, should replace the hash. False if the hash reads only
   * the beginning of the password: a wrong end would become a part of it.
   */
  needsRehash(password: string): boolean
}

/** Hashing and verification of passwords, as stores use them. */
export interface PasswordHashing {
  hash(password: string): Promise<string>
  /** Parses a stored hash. Does not throw. */
  read(passwordHash: string): HashReading
  /**
   * Returns the same hashing without hashes that are easy to guess; absent if there are none.
   * @param option how to accept them, such as `with --an-option`, for the message.
   */
  withoutWeakHashes?(option: string): PasswordHashing
  /** A hash without a password. Verified for an unknown user, so that the answer takes the same time. */
  readonly dummyHash: string
}

/**
 * The costs of argon2id (OWASP Password Storage Cheat Sheet). To raise them, change them here: each viewer's hash is
 * replaced at sign-in.
 */
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1

/**
 * Limits for hashes of other systems: parameters such as `m=4194304000` would take all memory. 256 MiB, and 1 GiB for
 * memory times passes, allow the hashes of PHP, Django, Spring and libsodium.
 */
const MOST_MEMORY_KIB = 262_144
const MOST_MEMORY_KIB_TIMES_PASSES = 1_048_576
const MOST_LANES = 16
const LONGEST_HASH = 1024

export const argon2Passwords: PasswordHashing = {
  hash: hashPassword,
  read: readHash,
  dummyHash: [
    `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}`,
    unpaddedBase64(randomBytes(16)),
    unpaddedBase64(randomBytes(32)),
  ].join('$'),
}

/**
 * Returns the argon2id hash of a password in the PHC string form, with a new salt.
 * @throws RangeError for half a character (a lone surrogate), which hashes like every other one.
 */
export function hashPassword(password: string): Promise<string> {
  if (!password.isWellFormed()) throw new RangeError('A password cannot hold half of a character')
  return hash(password, { memoryCost: MEMORY_KIB, timeCost: PASSES, parallelism: LANES })
}

function readHash(passwordHash: string): HashReading {
  // The library throws for every text that is not an argon2 hash in the PHC string form.
  const parameters = passwordHash.length > LONGEST_HASH ? undefined : orUndefined(() => parseOptions(passwordHash))
  if (!parameters) return { ok: false, fault: 'is of no known form' }
  const { memoryCost, timeCost, parallelism } = parameters
  const work = memoryCost * timeCost
  if (memoryCost > MOST_MEMORY_KIB || work > MOST_MEMORY_KIB_TIMES_PASSES || parallelism > MOST_LANES) {
    return { ok: false, fault: 'needs more memory or time than one sign-in may use' }
  }
  const isArgon2id = passwordHash.startsWith('$argon2id$v=19$')
  const isCurrent = isArgon2id && memoryCost >= MEMORY_KIB && work >= MEMORY_KIB * PASSES
  return { ok: true, verify: (password) => verifyPassword(passwordHash, password), needsRehash: () => !isCurrent }
}

async function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  // In UTF-8 every lone surrogate becomes U+FFFD, so any of them would match another one.
  const matches = await verify(passwordHash, password)
  return matches && password.isWellFormed()
}

export function unpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** Marks the hash of a viewer who has not set a password yet. Real hashes have random salts. */
const SALT = unpaddedBase64(Buffer.from('no password yet!'))

/**
 * Returns a hash without a password, for a viewer who has not set one. A sign-in verifies it like every other hash, so
 * that its time does not reveal the state of the viewer.
 */
export function noPasswordHash(): string {
  const [, algorithm, version, costs, , digest] = argon2Passwords.dummyHash.split('$')
  return ['', algorithm, version, costs, SALT, digest].join('$')
}

/** True for a hash of `noPasswordHash()`. */
export function isNoPassword(passwordHash: string): boolean {
  return passwordHash.split('$')[4] === SALT
}
