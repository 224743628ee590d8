import { argon2Passwords, type PasswordHashing } from './argon2.ts'
import { knownPasswords } from './foreign-hashes/known-hashes.ts'

const [preferred] = [knownPasswords, argon2Passwords]

/** The hashing for the hashes of a store: argon2, and those of other systems unless a fork has removed them. */
export const storedPasswords: PasswordHashing = preferred
