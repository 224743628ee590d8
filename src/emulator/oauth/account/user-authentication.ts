import type { DatabaseSync } from 'node:sqlite'
import type { FailureLimits } from './failure-limits.ts'
import type { Passwords } from './password.ts'

export interface UserAuthenticationDeps {
  readonly database: DatabaseSync
  readonly passwords: Pick<Passwords, 'verify'>
  readonly limits: FailureLimits
}

export type UserAuthentication =
  | { readonly ok: true; readonly userId: number }
  | { readonly ok: false; readonly reason: 'wrong-credentials' }
  | { readonly ok: false; readonly reason: 'too-many-failures'; readonly retryAfterSeconds: number }

const LONGEST_USERNAME = 255
const LONGEST_PASSWORD = 1_024

/**
 * Whether this is a user of the service. The one door for both ways in, the page and the password grant. An unknown name
 * and a wrong password are one answer, after the same work.
 * @param address of the peer, for the limits.
 */
export async function authenticateUser(
  { database, passwords, limits }: UserAuthenticationDeps,
  username: string,
  password: string,
  address: string,
): Promise<UserAuthentication> {
  if (username.length > LONGEST_USERNAME || password.length > LONGEST_PASSWORD) {
    return { ok: false, reason: 'wrong-credentials' }
  }
  const admission = await limits.admit('sign-in', username, address)
  if (!admission.ok) return { ok: false, reason: 'too-many-failures', retryAfterSeconds: admission.retryAfterSeconds }
  const user = database.prepare('SELECT id, password_hash FROM users WHERE username = ?').get(username.normalize('NFC'))
  const matches = await passwords.verify(user === undefined ? null : String(user.password_hash), password)
  if (user === undefined || !matches) return { ok: false, reason: 'wrong-credentials' }
  await admission.succeeded()
  return { ok: true, userId: Number(user.id) }
}
