import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from 'express'
import type { LimitRefusal } from '../sign-in-limits/limit-refusal.ts'
import type { Attempt, SignInLimits } from '../sign-in-limits/sign-in-limits.ts'
import type { Authentication, Viewer } from '../users/user-store.ts'
import type { SignInForm } from './request/sign-in-form.ts'
import type { EntryPointDeps } from './route-deps.ts'
import type { Refusal } from './screens/screens.ts'

/** The refusals of a user store. All except the first need the right password. */
const REFUSALS: Readonly<Record<Exclude<Authentication, { ok: true }>['reason'], Refusal>> = {
  'wrong-credentials': { status: 401, text: 'wrongCredentials' },
  disabled: { status: 403, text: 'disabled' },
  'expired-password': { status: 403, text: 'expiredPassword' },
}

export type CheckedCredentials =
  | { readonly ok: true; readonly viewer: Viewer }
  | { readonly ok: false; readonly refusal: Refusal }

export interface CheckCredentialsDeps extends Pick<EntryPointDeps, 'users' | 'logSignIn' | 'addressOf'> {
  readonly signInLimits: Pick<SignInLimits, 'admit'>
}

/**
 * Checks a password within the limits on guessing, and logs every refusal.
 * @throws UpstreamError and OverloadedError as `users.authenticate` does.
 */
export async function checkCredentials(
  deps: CheckCredentialsDeps,
  req: Request,
  form: Pick<SignInForm, 'username' | 'password'>,
): Promise<CheckedCredentials> {
  const { users, signInLimits, logSignIn, addressOf } = deps
  const refuseByLimit = ({ limit, retryAfterSeconds }: LimitRefusal): CheckedCredentials => {
    logSignIn(req, { outcome: 'held-back', viewer: form.username, limit })
    return { ok: false, refusal: tooManyTries(retryAfterSeconds) }
  }
  users.assertCapacity?.()
  const admission = await signInLimits.admit(form.username, addressOf(req))
  if (!admission.ok) return refuseByLimit(admission)
  const checkedFromMs = performance.now()
  let authentication: Awaited<ReturnType<typeof users.authenticate>>
  try {
    authentication = await users.authenticate(form.username, form.password)
  } catch (error) {
    await admission.attempt.abandoned()
    throw error
  }
  const limitRefusal = await settle(admission.attempt, authentication)
  if (limitRefusal) {
    await untilFullSecond(checkedFromMs)
    return refuseByLimit(limitRefusal)
  }
  if (authentication.ok) return authentication
  logSignIn(req, { outcome: authentication.reason, viewer: form.username })
  return { ok: false, refusal: REFUSALS[authentication.reason] }
}

async function settle(attempt: Attempt, authentication: Authentication): Promise<LimitRefusal | null> {
  if (authentication.ok) return await attempt.succeeded(authentication.viewer.username)
  const { reason, storedName } = authentication
  return await (reason === 'wrong-credentials' ? attempt.failed(storedName) : attempt.denied(storedName))
}

/**
 * Waits until a whole number of seconds has passed. A limit that was reached during the check refuses right and wrong
 * passwords alike, but a right one takes longer in some stores: a search for groups, a new hash.
 */
async function untilFullSecond(fromMs: number): Promise<void> {
  await sleep(1000 - ((performance.now() - fromMs) % 1000))
}

/** Returns the refusal of a limit. Long waits are in minutes. */
export function tooManyTries(retryAfterSeconds: number): Refusal {
  const inMinutes = retryAfterSeconds >= 120
  const count = inMinutes ? Math.ceil(retryAfterSeconds / 60) : retryAfterSeconds
  return { status: 429, text: inMinutes ? 'tooManyTriesMinutes' : 'tooManyTries', values: { count }, retryAfterSeconds }
}
