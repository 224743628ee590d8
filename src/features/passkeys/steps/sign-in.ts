import type { Request, RequestHandler } from 'express'
import { tooManyTries } from '../../../login/check-credentials.ts'
import type { SignInEvent } from '../../../login/log/sign-in-log.ts'
import type { Refusal } from '../../../login/screens/screens.ts'
import { RESULT } from '../../../services/window/flows/flow-store.ts'
import type { LimitRefusal } from '../../../sign-in-limits/limit-refusal.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { DISABLED, refusalOfCeremony, refusalOfFault } from '../refusals.ts'
import { forOwnForm, type PasskeyRouteDeps } from '../route-deps.ts'
import { SignInAnswer } from '../web-authn/answers.ts'
import { showSignIn, takeCeremony } from './ceremony.ts'

interface Refused {
  readonly ok: false
  readonly refusal: Refusal
}
type Outcome = { readonly ok: true; readonly viewer: Viewer } | Refused
/** A refusal, what the log says about it, and how the limits on guessing count it. */
type Check = Extract<Outcome, { ok: true }> | (Refused & { readonly event: SignInEvent; counts: 'failed' | 'denied' })

const UNKNOWN: Refusal = { status: 401, text: 'passkeys.unknown' }

/** Signs a viewer in with a passkey, and keeps the result for the frame. */
export function postSignIn(deps: PasskeyRouteDeps): RequestHandler {
  const { passkeys, pages, entryPoint, logSignIn } = deps
  const { flows, startLimits } = passkeys

  return forOwnForm(deps, async (req, res, form) => {
    const refuse = (refusal: Refusal) => showSignIn(deps, req, res, { flow: form.flow, isCreating: false }, refusal)
    const refuseCeremony = (reason: string, refusal: Refusal) => {
      logSignIn(req, { outcome: 'passkey-refused', status: refusal.status, reason })
      return refuse(refusal)
    }
    const challenge = String(form.challenge)
    const taken = await takeCeremony(deps, req, res, challenge)
    if (!taken.ok) return await refuseCeremony(taken.reason, refusalOfCeremony(taken.reason))
    const { creator, flow, network } = taken.ceremony
    const answer = SignInAnswer.safeParse(form)
    if (!answer.success || creator !== null) return await refuseCeremony('unreadable', refusalOfFault('unreadable'))
    const outcome = await checkWithinLimits(deps, req, answer.data, challenge)
    if (!outcome.ok) return await refuse(outcome.refusal)
    const { username, passwordVersion } = outcome.viewer
    await startLimits.giveBack(network)
    const result = { entryPoint: entryPoint.name, storedName: username, passwordVersion, credential: answer.data.id }
    await flows.put(RESULT, flow, result)
    logSignIn(req, { outcome: 'passkey-signed-in', viewer: username })
    pages.sendDone(req, res, username, false)
  })
}

/**
 * Checks a passkey within the limits on guessing, and logs every refusal. A passkey has counts of its own: wrong
 * passwords of others do not lock it. The count of the address is the one of passwords.
 */
async function checkWithinLimits(
  deps: PasskeyRouteDeps,
  req: Request,
  answer: SignInAnswer,
  challenge: string,
): Promise<Outcome> {
  const { signInLimits, addressOf, logSignIn } = deps
  const refuseByLimit = ({ limit, retryAfterSeconds }: LimitRefusal): Refused => {
    logSignIn(req, { outcome: 'held-back', limit })
    return { ok: false, refusal: tooManyTries(retryAfterSeconds) }
  }
  // No user name has a control character.
  const admission = await signInLimits.admit(`\0passkey ${answer.id}`, addressOf(req))
  if (!admission.ok) return refuseByLimit(admission)
  const { attempt } = admission
  let check: Check
  try {
    check = await checkPasskey(deps.passkeys, answer, challenge, deps.nowSeconds())
  } catch (error) {
    await attempt.abandoned()
    throw error
  }
  const limitRefusal = await (check.ok ? attempt.succeeded() : attempt[check.counts]())
  if (limitRefusal !== null) return refuseByLimit(limitRefusal)
  if (!check.ok) logSignIn(req, check.event)
  return check
}

async function checkPasskey(
  { store, find, checkSignIn, relyingParty }: PasskeyRouteDeps['passkeys'],
  answer: SignInAnswer,
  challenge: string,
  nowSeconds: number,
): Promise<Check> {
  const refuse = (reason: string, refusal: Refusal, viewer?: string): Check => {
    const event = { outcome: 'passkey-refused', viewer, status: refusal.status, reason } as const
    return { ok: false, refusal, event, counts: 'failed' }
  }
  const stored = await store.find(answer.id)
  if (stored === null) return refuse('unknown', UNKNOWN)
  const { username } = stored
  const check = await checkSignIn(answer, challenge, relyingParty, stored)
  if (!check.ok) return refuse(check.fault, refusalOfFault(check.fault), username)
  const { counter, isBackedUp } = check
  const use = await store.recordUse(answer.id, { counter, isBackedUp, usedAtSeconds: nowSeconds })
  if (use === 'unknown') return refuse(use, UNKNOWN, username)
  if (use !== 'recorded') return refuse(use, refusalOfFault(use), username)
  const viewer = await find(username)
  if (viewer !== null) return { ok: true, viewer }
  return { ok: false, refusal: DISABLED, event: { outcome: 'disabled', viewer: username }, counts: 'denied' }
}
