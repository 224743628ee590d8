import type { DatabaseSync } from 'node:sqlite'
import { argon2Passwords } from '../../../../users/passwords/argon2.ts'
import { findPasswordFault } from '../../../../users/passwords/new-password.ts'
import type { PasswordFault } from '../words.ts'
import type { FailureLimits } from './failure-limits.ts'

export type UserAuthentication =
  | { readonly ok: true; readonly userId: number }
  | { readonly ok: false; readonly reason: 'wrong-credentials' }
  | { readonly ok: false; readonly reason: 'too-many-failures'; readonly retryAfterSeconds: number }

const MAX_USERNAME_LENGTH = 255
const MAX_PASSWORD_LENGTH = 1_024

/**
 * Checks user name and password, for the sign-in page and the password grant. An unknown name and a wrong password give
 * the same result in the same time.
 * @param address of the peer, for the limits.
 */
export async function authenticateUser(
  { database, limits }: { readonly database: DatabaseSync; readonly limits: FailureLimits },
  username: string,
  password: string,
  address: string,
): Promise<UserAuthentication> {
  if (username.length > MAX_USERNAME_LENGTH || password.length > MAX_PASSWORD_LENGTH) {
    return { ok: false, reason: 'wrong-credentials' }
  }
  const admission = await limits.admit('sign-in', username, address)
  if (!admission.ok) return { ok: false, reason: 'too-many-failures', retryAfterSeconds: admission.retryAfterSeconds }
  const user = database.prepare('SELECT id, password_hash FROM users WHERE username = ?').get(username.normalize('NFC'))
  // An unknown user has the dummy hash, which no password matches.
  const hash = argon2Passwords.read(String(user?.password_hash ?? argon2Passwords.dummyHash))
  const matches = hash.ok && (await hash.verify(password))
  if (user === undefined || !matches) return { ok: false, reason: 'wrong-credentials' }
  await admission.succeeded()
  return { ok: true, userId: Number(user.id) }
}

/** Returns why a new password is refused, or null. */
export async function faultInNewPassword(password: string, username: string): Promise<PasswordFault | null> {
  const reason = (await findPasswordFault(password, username, []))?.reason ?? null
  return reason === 'pattern' || reason === 'likeKnownWords' ? 'common' : reason
}
