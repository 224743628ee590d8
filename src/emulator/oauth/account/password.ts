import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { OverloadedError } from '../../../errors.ts'

/** argon2id as the OWASP Password Storage Cheat Sheet has it; one at a time takes a core for about 20 ms. */
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const QUEUE_PER_CORE = 24
const RETRY_AFTER_SECONDS = 2
const FEWEST_CHARACTERS = 8
const MOST_CHARACTERS = 128

export interface Passwords {
  /**
   * Whether the password is the one of the hash. Without a hash, that is for a name nobody has, it is false after the
   * same work.
   * @throws OverloadedError at once when too many are being checked already.
   */
  verify(passwordHash: string | null, password: string): Promise<boolean>
  /** @throws OverloadedError as above. */
  hash(password: string): Promise<string>
}

export type PasswordFault = 'too-short' | 'too-long' | 'too-common' | 'like-the-name' | 'unreadable'

/** Hashing behind one gate: as many at once as there are cores, a short queue, and beyond it a refusal at once. */
export function createPasswords(cores = availableParallelism()): Passwords {
  let running = 0
  const waiting: (() => void)[] = []
  // A hash that no password has.
  const unknownHash = hash('', { ...COSTS, secret: crypto.getRandomValues(new Uint8Array(32)) })

  async function gated<T>(work: () => Promise<T>): Promise<T> {
    if (running >= cores && waiting.length >= cores * QUEUE_PER_CORE) {
      throw new OverloadedError('Too many passwords are being checked already', RETRY_AFTER_SECONDS)
    }
    if (running >= cores) await new Promise<void>((admit) => waiting.push(admit))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The place is handed on without being free in between.
      if (next === undefined) running -= 1
      else next()
    }
  }

  return {
    verify: (passwordHash, password) =>
      gated(async () => {
        const matches = await verify(passwordHash ?? (await unknownHash), password)
        // In UTF-8 half a character becomes U+FFFD, which another could type.
        return matches && passwordHash !== null && password.isWellFormed()
      }),
    hash: (password) => gated(() => hash(password, COSTS)),
  }
}

/**
 * Why a password cannot be chosen; null when it can (NIST SP 800-63B 3.1.1.2, ASVS 6.2): any characters, none asked for,
 * but not one of the common ones, and not the user name.
 */
export async function faultInNewPassword(password: string, username: string): Promise<PasswordFault | null> {
  if (!password.isWellFormed() || /[\0\r\n]/.test(password)) return 'unreadable'
  const characters = [...password].length
  if (characters < FEWEST_CHARACTERS) return 'too-short'
  if (characters > MOST_CHARACTERS) return 'too-long'
  const folded = password.normalize('NFKC').toLowerCase()
  if (isLittleBut(folded, username.normalize('NFKC').toLowerCase())) return 'like-the-name'
  return (await commonPasswords()).has(folded) || new Set(folded).size === 1 ? 'too-common' : null
}

/** A name of two or three letters is in many good passwords. */
function isLittleBut(folded: string, name: string): boolean {
  if (folded === name) return true
  return name.length >= 4 && folded.includes(name) && folded.replaceAll(name, '').length < FEWEST_CHARACTERS
}

let common: Promise<ReadonlySet<string>> | undefined

/** Loaded when the first password is chosen: it takes 20 MB. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return common
}
