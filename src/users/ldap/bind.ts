import { type Client, PasswordPolicyControl, PasswordPolicyError, ResultCodeError } from 'ldapts'
import type { Authentication } from '../user-store.ts'
import { LDAP_CODE } from './connection.ts'

/** How a directory answered to a viewer's password. */
export interface BindAnswer {
  readonly ok: boolean
  /** The result code; 0 for success. */
  readonly code: number
  /** Active Directory's own number for it, such as 532; null where it gives none. */
  readonly data: string | null
  /** What a password policy says (draft-behera-ldap-password-policy); null where it says nothing. */
  readonly policy: number | null
  /** The directory's words, for the log. */
  readonly message: string
}

type Refusal = Extract<Authentication, { ok: false }>['reason']

export interface BindRefusal {
  readonly reason: Refusal
  /** For the operator, where the viewer is not told; null where there is nothing to tell. */
  readonly note: string | null
}

/**
 * What Active Directory means by `data` in the message of a refused bind. All of these but 775 it gives only after the
 * right password, since a wrong one is 52e before anything else is looked at (the table of these codes that vendors pass
 * on, as in https://ldapwiki.com/wiki/Common%20Active%20Directory%20Bind%20Errors). 775 it gives whatever the password,
 * so that it would tell a guesser which names exist, and that this one is worth waiting for.
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

/** Refusals of one account, by which others get in: of these no store is away. */
const OF_ONE_ACCOUNT: readonly number[] = [
  LDAP_CODE.constraintViolation,
  LDAP_CODE.noSuchObject,
  LDAP_CODE.inappropriateAuthentication,
  LDAP_CODE.invalidCredentials,
  LDAP_CODE.insufficientAccess,
  LDAP_CODE.unwillingToPerform,
]

/**
 * Binds as the viewer.
 * @throws Error without an answer, and for what a directory says that cannot answer now.
 */
export async function bindAsViewer(client: Client, dn: string, password: string): Promise<BindAnswer> {
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

/** Why the viewer does not get in; null for an answer that is not about this viewer at all. */
export function refusalOf({ code, data, policy, message }: BindAnswer): BindRefusal | null {
  if (!OF_ONE_ACCOUNT.includes(code)) return null
  const known = data === null ? undefined : ACTIVE_DIRECTORY[data]
  if (code === LDAP_CODE.invalidCredentials && known !== undefined) {
    return { reason: known.reason, note: `${known.meaning} (data ${data})` }
  }
  // OpenLDAP looks at the age of a password after it compared it; locked accounts it refuses before.
  if (policy === PasswordPolicyError.PasswordExpired) return { reason: 'expired-password', note: null }
  if (policy === PasswordPolicyError.AccountLocked) return { reason: 'wrong-credentials', note: 'is locked' }
  return { reason: 'wrong-credentials', note: code === LDAP_CODE.invalidCredentials ? null : `was refused: ${message}` }
}

/** Whether a bind that succeeded is good for nothing but a change of the password. */
export function mustChangePassword({ policy }: BindAnswer): boolean {
  return policy === PasswordPolicyError.ChangeAfterReset
}
