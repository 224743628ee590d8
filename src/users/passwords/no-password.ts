import { argon2Passwords } from './argon2.ts'
import { unpaddedBase64 } from './hash-form.ts'

/** Marks the hash of a viewer who has not set a password yet. Real hashes have random salts. */
const SALT = unpaddedBase64(Buffer.from('no password yet!'))

/**
 * Returns a hash without a password, for a viewer who has been invited. A sign-in verifies it like every other hash, so
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
