import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** argon2id with the parameters of the OWASP Password Storage Cheat Sheet: about 20 ms on one core. */
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 128

export interface Passwords {
  /** True if the password matches. False for null, an unknown user, after the same time. */
  verify(passwordHash: string | null, password: string): Promise<boolean>
  hash(password: string): Promise<string>
}

export type PasswordFault = 'too-short' | 'too-long' | 'too-common' | 'like-the-name' | 'unreadable'

/** Hashes and verifies passwords of the service's users. */
export function createPasswords(): Passwords {
  // Verified when the user is unknown, so that both cases take the same time. No password matches it: it is random.
  const { memoryCost, timeCost, parallelism } = COSTS
  const decoyHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${randomText(16)}$${randomText(32)}`
  return {
    async verify(passwordHash, password) {
      const matches = await verify(passwordHash ?? decoyHash, password)
      // A lone surrogate becomes U+FFFD in UTF-8, so it would match a password with that character.
      return matches && passwordHash !== null && password.isWellFormed()
    },
    hash: (password) => hash(password, COSTS),
  }
}

/** Returns random bytes in Base64 without padding, as hashes in the PHC form hold them. */
function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64').replace(/=+$/, '')
}

/**
 * Returns why a new password is refused, or null (NIST SP 800-63B 3.1.1.2, ASVS 6.2). Allows all characters and
 * requires none. Refuses common passwords and the user name.
 */
export async function faultInNewPassword(password: string, username: string): Promise<PasswordFault | null> {
  if (!password.isWellFormed() || /[\0\r\n]/.test(password)) return 'unreadable'
  const characters = [...password].length
  if (characters < MIN_CHARACTERS) return 'too-short'
  if (characters > MAX_CHARACTERS) return 'too-long'
  const folded = password.normalize('NFKC').toLowerCase()
  if (isMostlyName(folded, username.normalize('NFKC').toLowerCase())) return 'like-the-name'
  return (await commonPasswords()).has(folded) || new Set(folded).size === 1 ? 'too-common' : null
}

/** Ignores names of up to three letters, which many good passwords contain. */
function isMostlyName(folded: string, name: string): boolean {
  if (folded === name) return true
  return name.length >= 4 && folded.includes(name) && folded.replaceAll(name, '').length < MIN_CHARACTERS
}

let common: Promise<ReadonlySet<string>> | undefined

/** Loads the list at first use, because it takes 20 MB. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return common
}
