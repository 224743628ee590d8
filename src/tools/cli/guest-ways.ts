import { features } from '../../features.ts'

/** The ways in of guests, who are in no user store. */
const GUEST_WAYS = features.flatMap(({ guests }) => guests ?? [])

interface Identity {
  readonly issuer: string
  readonly subject: string
}

/** Both are null for a password viewer. */
export interface ShownIdentity {
  readonly provider: Identity | null
  readonly guest: { readonly wayIn: string; readonly subject: string } | null
}

/** Returns the words of a guest's way in. Null for the issuer of other viewers. */
export function guestWayOf(issuer: string): string | null {
  return GUEST_WAYS.find((way) => way.issuer === issuer)?.words ?? null
}

/** Returns the fields of a session for `--json`. */
export function identityFields(identity: Identity | null): ShownIdentity {
  if (identity === null) return { provider: null, guest: null }
  const { issuer, subject } = identity
  const wayIn = guestWayOf(issuer)
  return wayIn === null ? { provider: { issuer, subject }, guest: null } : { provider: null, guest: { wayIn, subject } }
}

/** Returns who a viewer is whom the user store does not know, with a comma before. Empty for a password viewer. */
export function identityText({ provider, guest }: ShownIdentity): string {
  if (guest !== null) return `, a guest by ${guest.wayIn} (${guest.subject})`
  return provider === null ? '' : `, subject ${provider.subject} at ${provider.issuer}`
}
