import type { Gate } from '../../login/route-deps.ts'
import { GUEST_ISSUERS } from '../../services/guests/guest-origin.ts'
import type { RegistrationState } from './book/registration.ts'
import type { Registrations } from './book/registrations.ts'
import { subjectOf } from './guest.ts'
import { messageOfState } from './screens/messages.ts'

/**
 * Creates the gate of an entry point. A guest whose registration is not approved does not pass. The gate does not
 * look at guests who sign in by mail and never registered.
 */
export function createGate(registrations: Pick<Registrations, 'find'>, entryPoint: string): Gate {
  return async (_req, _res, { origin }) => {
    const address = addressIn(origin, entryPoint)
    if (address === null) return null
    const registration = await registrations.find(address)
    if (registration?.state === 'approved') return null
    if (registration === null) return origin?.issuer === GUEST_ISSUERS.registration ? refusalOf('unknown') : null
    return refusalOf(registration.state)
  }
}

function addressIn(origin: { readonly issuer: string; readonly subject: string } | undefined, entryPoint: string) {
  if (origin?.issuer === GUEST_ISSUERS.mail) return origin.subject
  if (origin?.issuer !== GUEST_ISSUERS.registration) return null
  return origin.subject.slice(subjectOf(entryPoint, '').length)
}

function refusalOf(state: RegistrationState | 'unknown') {
  const { title, text, reason } = messageOfState(state)
  const explanation = { text, ofAll: { title, reason } }
  return { ok: false, reason: 'not-entitled', code: reason, explanation } as const
}
