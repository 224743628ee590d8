import type { Identity } from '../../sessions/identity.ts'
import type { SessionViewer } from '../../sessions/session-store.ts'

/**
 * Returns the identity of a guest for `sendToPlayer` and the session. So a guest is never looked up in the user store, and
 * never is the viewer of that store with the same name.
 * @param issuer the name of the way in: a word, while other systems have the address of their issuer.
 * @param subject the identity in the feature, such as a canonical mail address.
 * @param endsAtSeconds UNIX time: then the guest must sign in again.
 */
export function guestIdentity(issuer: string, subject: string, endsAtSeconds: number): Identity {
  return { issuer, subject, endsAtSeconds, providerSession: null, providerId: issuer }
}

/** The issuer of guests who proved only their mail address. */
export const MAIL_ISSUER = 'mail'

/** Returns the subject of a guest of this issuer; null for any other viewer. */
export function guestSubjectOf({ identity }: Pick<SessionViewer, 'identity'>, issuer: string): string | null {
  return identity?.issuer === issuer ? identity.subject : null
}
