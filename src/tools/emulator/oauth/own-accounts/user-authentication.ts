import type { DatabaseSync } from 'node:sqlite'
import { argon2Passwords } from '../../../../users/passwords/argon2.ts'
import { findPasswordFault } from '../../../../users/passwords/new-password.ts'
import type { PasswordFault } from '../words.ts'

const MAX_USERNAME_LENGTH = 255
const MAX_PASSWORD_LENGTH = 1_024

/**
 * Checks user name and password, for the sign-in page and the password grant. Returns the id of the user. An unknown name
 * and a wrong password give null in the same time.
 */
export async function authenticateUser(
  database: DatabaseSync,
  username: string,
  password: string,
): Promise<number | null> {
  if (username.length > MAX_USERNAME_LENGTH || password.length > MAX_PASSWORD_LENGTH) return null
  const user = database.prepare('SELECT id, password_hash FROM users WHERE username = ?').get(username.normalize('NFC'))
  // An unknown user has the dummy hash, which no password matches.
  const hash = argon2Passwords.read(String(user?.password_hash ?? argon2Passwords.dummyHash))
  const matches = hash.ok && (await hash.verify(password))
  return user === undefined || !matches ? null : Number(user.id)
}

/** Returns why a new password is refused, or null. */
export async function faultInNewPassword(password: string, username: string): Promise<PasswordFault | null> {
  const reason = (await findPasswordFault(password, username, []))?.reason ?? null
  return reason === 'pattern' || reason === 'likeKnownWords' ? 'common' : reason
}
