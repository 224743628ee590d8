import type { PasswordHashing } from '../../../src/users/passwords/argon2.ts'

/** Returns why a hash cannot be verified; null if it can. */
export function faultIn(passwords: PasswordHashing, passwordHash: string): string | null {
  const reading = passwords.read(passwordHash)
  return reading.ok ? null : reading.fault
}

/** False for a hash that cannot be verified. */
export async function verify(passwords: PasswordHashing, passwordHash: string, password: string): Promise<boolean> {
  const reading = passwords.read(passwordHash)
  return reading.ok && (await reading.verify(password))
}

/** True for a hash that cannot be verified. */
export function needsRehash(passwords: PasswordHashing, passwordHash: string, password: string): boolean {
  const reading = passwords.read(passwordHash)
  return !reading.ok || reading.needsRehash(password)
}
