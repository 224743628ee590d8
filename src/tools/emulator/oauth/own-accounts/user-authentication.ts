import type { DatabaseSync } from 'node:sqlite'
import { argon2Passwords } from '../../../../users/passwords/argon2.ts'

/** The forms of a new password ask for it too. */
export const LEAST_PASSWORD_LENGTH = 8

/** Checks user name and password, for the sign-in page and the password grant. Returns the id of the user, else null. */
export async function authenticateUser(
  database: DatabaseSync,
  username: string,
  password: string,
): Promise<number | null> {
  const user = database.prepare('SELECT id, password_hash FROM users WHERE username = ?').get(username.normalize('NFC'))
  if (user === undefined) return null
  const hash = argon2Passwords.read(String(user.password_hash))
  return hash.ok && (await hash.verify(password)) ? Number(user.id) : null
}
