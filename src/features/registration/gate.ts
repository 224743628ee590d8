import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Gate } from '../../login/route-deps.ts'
import { MAIL_ISSUER } from '../../services/guests/guest-identity.ts'
import type { RegistrationState } from './book/registration.ts'
import type { Registrations } from './book/registrations.ts'
import { subjectOf } from './guest.ts'
import { REGISTRATION_ISSUER } from './guest-way.ts'
import { messageOfState } from './screens/messages.ts'

/**
 * Creates the gate of an entry point. A guest whose registration is not approved does not pass. The gate does not
 * look at guests who sign in by mail and never registered.
 */
export function createGate(registrations: Pick<Registrations, 'find'>, entryPoint: EntryPoint): Gate {
  return async (_req, _res, { identity }) => {
    const address = addressIn(identity, entryPoint.name)
    if (address === null) return null
    const registration = await registrations.find(address)
    if (registration?.state === 'approved') return null
    if (registration === null) return identity?.issuer === REGISTRATION_ISSUER ? refusalOf('unknown', entryPoint) : null
    return refusalOf(registration.state, entryPoint)
  }
}

function addressIn(identity: { readonly issuer: string; readonly subject: string } | undefined, entryPoint: string) {
  if (identity?.issuer === MAIL_ISSUER) return identity.subject
  if (identity?.issuer !== REGISTRATION_ISSUER) return null
  return identity.subject.slice(subjectOf(entryPoint, '').length)
}

function refusalOf(state: RegistrationState | 'unknown', entryPoint: EntryPoint) {
  const explanation = messageOfState(state, entryPoint)
  return { ok: false, reason: 'not-entitled', code: explanation.ofAll.reason, explanation } as const
}
