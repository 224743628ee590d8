import { type Client, PasswordPolicyControl, PasswordPolicyError, ResultCodeError } from 'ldapts'
import type { Authentication } from '../user-store.ts'
import { LDAP_CODE } from './connection.ts'

/**
 * A directory's answer to a viewer's password. `code` is 0 for success, `data` Active Directory's own code, such as 532, and
 * `policy` the error of the password policy (draft-behera-ldap-password-policy).
 */
export type BindAnswer = Awaited<ReturnType<typeof bindAsViewer>>

type Refusal = Extract<Authentication, { ok: false }>['reason']

export interface BindRefusal {
  readonly reason: Refusal
  /** A reason for the log that the viewer does not see; null if there is none. */
  readonly note: string | null
}

/**
 * Meanings of `data` in the message of a refused bind
 * (https://ldapwiki.com/wiki/Common%20Active%20Directory%20Bind%20Errors). Active Directory checks the password first,
 * and answers 52e for a wrong one. Only 775 does not depend on the password, so showing it would reveal which names
 * exist.
 */
const ACTIVE_DIRECTORY: Readonly<Record<string, { meaning: string; reason: Refusal }>> = {
  '530': { meaning: 'may not sign in at this time', reason: 'disabled' },
  '531': { meaning: 'may not sign in from this machine', reason: 'disabled' },
  '532': { meaning: 'has an expired password', reason: 'expired-password' },
  '533': { meaning: 'is disabled', reason: 'disabled' },
  '701': { meaning: 'is an expired account', reason: 'disabled' },
  '773': { meaning: 'must change the password first', reason: 'expired-password' },
  '775': { meaning: 'is locked after too many wrong passwords', reason: 'wrong-credentials' },
}

/** Result codes about one account. They are not failures of the directory. */
const ACCOUNT_CODES: readonly number[] = [
  LDAP_CODE.constraintViolation,
  LDAP_CODE.noSuchObject,
  LDAP_CODE.inappropriateAuthentication,
  LDAP_CODE.invalidCredentials,
  LDAP_CODE.insufficientAccess,
  LDAP_CODE.unwillingToPerform,
]

/** Binds as the viewer. @throws Error when the directory does not answer, or answers that it is busy or unavailable. */
export async function bindAsViewer(client: Client, dn: string, password: string) {
  const policy = new PasswordPolicyControl()
  const policyError = () => policy.value?.error ?? null
  try {
    await client.bind(dn, password, policy)
    return { ok: true, code: 0, data: null, policy: policyError(), message: '' }
  } catch (error) {
    if (!(error instanceof ResultCodeError)) throw error
    const { code, message } = error
    if (code === LDAP_CODE.busy || code === LDAP_CODE.unavailable) throw error
    const data = /\bdata ([0-9a-f]+)\b/i.exec(message)?.[1]?.toLowerCase() ?? null
    return { ok: false, code, data, policy: policyError(), message }
  }
}

/** Returns why the viewer is refused; null if the answer is not about the viewer. */
export function refusalOf({ code, data, policy, message }: BindAnswer): BindRefusal | null {
  if (!ACCOUNT_CODES.includes(code)) return null
  const known = data === null ? undefined : ACTIVE_DIRECTORY[data]
  if (code === LDAP_CODE.invalidCredentials && known !== undefined) {
    return { reason: known.reason, note: `${known.meaning} (data ${data})` }
  }
  // OpenLDAP checks the age of a password after comparing it, but refuses locked accounts before.
  if (policy === PasswordPolicyError.PasswordExpired) return { reason: 'expired-password', note: null }
  if (policy === PasswordPolicyError.AccountLocked) return { reason: 'wrong-credentials', note: 'is locked' }
  return { reason: 'wrong-credentials', note: code === LDAP_CODE.invalidCredentials ? null : `was refused: ${message}` }
}

/** True if the server accepts the password only to change it. */
export function mustChangePassword({ policy }: BindAnswer): boolean {
  return policy === PasswordPolicyError.ChangeAfterReset
}
