import { gateRefusal } from '../../login/answer/policy-text.ts'
import type { EntryPointDeps, Gate } from '../../login/route-deps.ts'
import { guestSubjectOf } from '../../services/guests/guest-identity.ts'
import { placeBefore, placeOfForm } from '../../services/places/place-keys.ts'
import { endOf } from './codes/code-records.ts'
import type { CodeStore } from './codes/code-store.ts'
import { CODES_ISSUER } from './guest-way.ts'
import { type SeatsDeps, seatsOf } from './seats.ts'

export interface GateParts extends SeatsDeps, Pick<EntryPointDeps, 'logSignIn' | 'sessions'> {
  readonly codes: Pick<CodeStore, 'ofSubject'>
}

/**
 * Creates the gate of an entry point: it asks the store at each return, so a code that was revoked or has ended lets no
 * viewer in, and no answer outlives the code. Then the viewer takes a place, if the code has a limit.
 */
export function createGate(parts: GateParts): Gate {
  const { codes, entryPoint, nowSeconds, logSignIn, sessions } = parts
  return async (req, res, { identity, sessionId, context, viewer }) => {
    const subject = guestSubjectOf({ ...(identity && { identity }) }, CODES_ISSUER)
    if (subject === null) return null
    const known = await codes.ofSubject(subject)
    if (known === null || known.batch.entryPoint !== entryPoint.name) return refusal('code-unknown', 'endedCode')
    const ended = endOf(known, nowSeconds())
    if (ended !== null) return refusal(`code-${ended}`, 'endedCode')
    const { endsAtSeconds } = known.batch
    const passed = { ok: true, ...(endsAtSeconds !== null && { endsAtSeconds }) } as const
    const seats = seatsOf(parts, context.address, known)
    if (seats === null) return passed
    if (sessionId !== undefined) {
      const onGranted = await seats.keep(sessionId)
      if (onGranted !== null) return { ...passed, onGranted }
      logSignIn(req, { outcome: 'code-elsewhere', viewer: viewer.username, isReturn: true })
      return refusal('code-elsewhere', known.batch.isShared ? 'full' : 'elsewhere')
    }
    const onGranted = await seats.take(placeOfForm(sessions, req), await placeBefore(sessions, req, res))
    return onGranted === null ? refusal('code-full', 'full') : { ...passed, onGranted }
  }
}

function refusal(code: string, key: 'endedCode' | 'full' | 'elsewhere') {
  return gateRefusal(code, (texts) => texts['access-codes'].errors[key])
}
