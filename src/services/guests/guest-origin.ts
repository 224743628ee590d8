import type { SessionViewer, SsoOrigin } from '../../sessions/session-store.ts'

/**
 * The issuers of guests, in place of the address of an identity provider. Providers have https addresses, so no provider
 * has one of these names.
 */
export const GUEST_ISSUERS = { mail: 'mail', codes: 'codes', registration: 'registration' } as const
export type GuestIssuer = keyof typeof GUEST_ISSUERS

/**
 * Returns the origin of a guest for `sendToPlayer` and the session. So a guest is never looked up in the user store, and
 * never is the viewer of that store with the same name.
 * @param subject the identity in the feature, such as a canonical mail address.
 * @param endsAtSeconds UNIX time: then the guest must sign in again.
 */
export function guestOrigin(issuer: GuestIssuer, subject: string, endsAtSeconds: number): SsoOrigin {
  // With the fields that single sign-on, if it is there, adds to an origin.
  const origin = { issuer, subject, endsAtSeconds, providerSession: null, providerId: issuer }
  return origin
}

/** Returns the subject of a guest of this issuer; null for any other viewer. */
export function guestSubjectOf({ sso }: Pick<SessionViewer, 'sso'>, issuer: GuestIssuer): string | null {
  return sso?.issuer === issuer ? sso.subject : null
}
