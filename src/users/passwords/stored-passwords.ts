import { argon2Passwords, type PasswordHashing } from './argon2.ts'
import { knownPasswords } from './foreign-hashes/known-hashes.ts'

const HASHINGS: readonly PasswordHashing[] = [
  knownPasswords, // argon2id, and hashes of other systems
]

/** The hashing for the hashes of a store: argon2id, and those of other systems unless a fork has removed them. */
export const storedPasswords: PasswordHashing = HASHINGS[0] ?? argon2Passwords
