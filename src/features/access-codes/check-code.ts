import type { Request, Response } from 'express'
import { tooManyTries } from '../../login/check-credentials.ts'
import type { PlayerContext } from '../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { placeBefore, placeOfForm } from '../../services/places/place-keys.ts'
import type { LimitRefusal } from '../../sign-in-limits/limit-refusal.ts'
import type { SignInLimits } from '../../sign-in-limits/sign-in-limits.ts'
import { codeDigest } from './codes/code-digest.ts'
import { codeKey, endOf, type KnownCode } from './codes/code-records.ts'
import type { CodeStore } from './codes/code-store.ts'
import type { AccessCodeSettings } from './fields.ts'
import type { GuessLimits } from './guess-limits.ts'
import { type SeatsDeps, seatsOf } from './seats.ts'

export interface CheckDeps
  extends Pick<EntryPointDeps, 'entryPoint' | 'addressOf' | 'logSignIn' | 'nowSeconds' | 'sessions'>,
    Pick<SeatsDeps, 'places'> {
  readonly settings: AccessCodeSettings
  readonly codes: Pick<CodeStore, 'find'>
  readonly guessLimits: GuessLimits
  readonly passwordLimits: Pick<SignInLimits, 'admitGuess'>
}

export type CheckedCode =
  | { readonly ok: true; readonly known: KnownCode }
  | { readonly ok: false; readonly refusal: Refusal }

const FULL_RETRY_SECONDS = 60

/**
 * Checks a code within the limits on guessing, and logs every refusal. A code of another entry point is a wrong code.
 * @param code canonical. Null for a text that cannot be a code.
 * @throws UpstreamError if the guests store does not answer: the guess is then not counted.
 */
export async function checkCode(
  deps: CheckDeps,
  req: Request,
  res: Response,
  code: string | null,
  context: PlayerContext,
): Promise<CheckedCode> {
  const { entryPoint, settings, codes, guessLimits, passwordLimits, addressOf, logSignIn, nowSeconds } = deps
  const address = addressOf(req)
  const refuse = (refusal: Refusal): CheckedCode => ({ ok: false, refusal })
  const holdBack = ({ limit, retryAfterSeconds }: LimitRefusal) => {
    logSignIn(req, { outcome: 'held-back', limit })
    return refuse(tooManyTries(retryAfterSeconds))
  }
  const admission = await passwordLimits.admitGuess(address)
  if (!admission.ok) return holdBack(admission)
  // Counts before the check, so that no more guesses are checked than the budget has.
  const limit = await guessLimits.admit(address)
  if (limit !== null) return holdBack(limit)
  const digest = code === null ? null : codeDigest(settings.key, entryPoint.name, code)
  const found = digest === null ? null : codes.find(digest)
  const known = await found?.catch(async (error: unknown) => {
    await guessLimits.giveBack(address)
    throw error
  })
  const ended = known ? endOf(known, nowSeconds()) : null
  if (!known || ended !== null) {
    const reached = await admission.failed()
    if (reached !== null) return holdBack(reached)
    if (!known) {
      logSignIn(req, { outcome: 'wrong-code' })
      return refuse({ status: 401, text: 'access-codes.wrongCode' })
    }
    logSignIn(req, { outcome: 'ended-code', viewer: codeKey(known.batch, known.code.number), reason: ended ?? '' })
    return refuse({ status: 403, text: 'access-codes.endedCode' })
  }
  await guessLimits.giveBack(address)
  const seats = seatsOf({ ...deps, placeSeconds: settings.placeSeconds }, context.address, known)
  if (
    seats === null ||
    !(await seats.isFull(placeOfForm(deps.sessions, req), await placeBefore(deps.sessions, req, res)))
  )
    return { ok: true, known }
  logSignIn(req, { outcome: 'code-full', viewer: codeKey(known.batch, known.code.number) })
  return refuse({ status: 403, text: 'access-codes.full', retryAfterSeconds: FULL_RETRY_SECONDS })
}
