import { guestIdentity } from '../../services/guests/guest-identity.ts'
import type { KnownGuest } from '../../services/guests/service.ts'
import type { Registration } from './book/registration.ts'
import { REGISTRATION_ISSUER } from './guest-way.ts'
import type { RegistrationSettings } from './settings/settings.ts'

/** Returns the subject of a guest who registered at an entry point: an address may register at several. */
export function subjectOf(entryPoint: string, address: string): string {
  return `${entryPoint}/${address}`
}

/** Returns the guest of an approved registration. @param endsAtSeconds UNIX time: then the guest must sign in again. */
export function guestOf(
  { entryPoint, address, attributes }: Registration,
  { group }: Pick<RegistrationSettings, 'group'>,
  endsAtSeconds: number,
): KnownGuest {
  const viewer = { username: address, groups: group === null ? [] : [group], attributes }
  return { viewer, identity: guestIdentity(REGISTRATION_ISSUER, subjectOf(entryPoint, address), endsAtSeconds) }
}
