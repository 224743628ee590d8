import { faultInValue } from '../../../hash-lock/authentication-response.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { canonicalText, canonicalViewer, faultInUsername } from '../../../users/viewer-fields.ts'
import type { SsoSettings } from '../settings/sso-settings.ts'

/** The claims of a checked ID token, and of the user info endpoint. */
export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string }

/** A viewer whom the provider signed in. Issuer and subject are the identity; the user name is a label. */
export interface Identity {
  readonly viewer: Viewer
  readonly issuer: string
  readonly subject: string
  /** The session at the provider. Null if the provider names none. */
  readonly providerSession: string | null
}

export type RefusalReason =
  | 'provider-refused'
  | 'invalid-response'
  | 'wrong-tenant'
  | 'groups-overage'
  | 'unusable-claim'
  | 'email-not-verified'

export type ProviderAnswer =
  | { readonly ok: true; readonly identity: Identity }
  /** `detail` is for the log, and contains no value of a claim. */
  | { readonly ok: false; readonly reason: RefusalReason; readonly detail?: string }

type ClaimSettings = Pick<SsoSettings, 'usernameClaim' | 'groupsClaim' | 'attributes' | 'tenants' | 'issuer'>

const LONGEST_SUBJECT = 255
const MOST_GROUPS = 1_000
const GOOGLE = 'https://accounts.google.com'

/** Turns the claims into a viewer, or says why the viewer is refused. */
export function viewerOfClaims(claims: Claims, settings: ClaimSettings): ProviderAnswer {
  const { usernameClaim, groupsClaim, tenants } = settings
  if (claims.sub.length > LONGEST_SUBJECT) return refusal('unusable-claim', 'sub is too long')
  const tenantClaim = settings.issuer === GOOGLE ? 'hd' : 'tid'
  const tenant = claims[tenantClaim]
  if (tenants !== null && !(typeof tenant === 'string' && tenants.includes(tenant))) {
    return refusal('wrong-tenant', `${tenantClaim} is not in OIDC_TENANTS`)
  }
  if (hasGroupsElsewhere(claims, groupsClaim)) return refusal('groups-overage', groupsClaim)
  const username = textOf(claims[usernameClaim])
  const fault = username === null ? 'is missing' : faultInUsername(username)
  if (username === null || fault !== null) return refusal('unusable-claim', `${usernameClaim} ${fault}`)
  if (usernameClaim === 'email' && claims.email_verified !== true) return refusal('email-not-verified')
  const groups = groupsOf(claims[groupsClaim])
  if (groups === null) return refusal('unusable-claim', `${groupsClaim} is not a list of at most ${MOST_GROUPS} texts`)
  const attributes = attributesOf(claims, settings)
  if (typeof attributes === 'string') return refusal('unusable-claim', attributes)
  return {
    ok: true,
    identity: {
      viewer: canonicalViewer({ username, groups, attributes }),
      issuer: claims.iss,
      subject: claims.sub,
      providerSession: typeof claims.sid === 'string' && claims.sid.length <= LONGEST_SUBJECT ? claims.sid : null,
    },
  }
}

/** True if a claim of the settings is not among the claims. */
export function lacksClaims(claims: Claims, { usernameClaim, groupsClaim, attributes }: ClaimSettings): boolean {
  const wanted = [usernameClaim, groupsClaim, ...attributes.map(({ claim }) => claim)]
  return wanted.some((claim) => claims[claim] === undefined)
}

function refusal(reason: RefusalReason, detail?: string): ProviderAnswer {
  return { ok: false, reason, ...(detail !== undefined && { detail }) }
}

/** Entra ID leaves out a list of more than 200 groups and says where it is. This is not the same as no groups. */
function hasGroupsElsewhere(claims: Claims, groupsClaim: string): boolean {
  const { _claim_names: names, hasgroups } = claims
  const isNamed = typeof names === 'object' && names !== null && Object.hasOwn(names, groupsClaim)
  return isNamed || (groupsClaim === 'groups' && (hasgroups === true || hasgroups === 'true'))
}

function groupsOf(claim: unknown): string[] | null {
  if (claim === undefined || claim === null) return []
  const groups: unknown[] = Array.isArray(claim) ? claim : [claim]
  const texts = groups.filter((group) => typeof group === 'string')
  const isUsable = texts.length === groups.length && texts.length <= MOST_GROUPS
  return isUsable && texts.every((text) => faultInValue(text) === null) ? texts : null
}

/** Returns the attributes. A missing claim is left out. Returns the fault of a claim that no response can carry. */
function attributesOf(claims: Claims, { attributes }: ClaimSettings): Record<string, string> | string {
  const values: Record<string, string> = {}
  for (const { name, claim } of attributes) {
    // A person can type any address as long as it is not verified.
    const isUsable = claim !== 'email' || claims.email_verified === true
    const value = claims[claim]
    if (value === undefined || value === null || !isUsable) continue
    const text = textOf(value)
    const fault = text === null ? 'is neither a text nor a number nor a boolean' : faultInValue(canonicalText(text))
    if (text === null || fault !== null) return `${claim} ${fault}`
    values[name] = text
  }
  return values
}

function textOf(claim: unknown): string | null {
  // JSON.parse() rounds larger numbers, so that two people could get the same one.
  const isExact = typeof claim === 'number' && Math.abs(claim) <= Number.MAX_SAFE_INTEGER
  return typeof claim === 'string' || typeof claim === 'boolean' || isExact ? String(claim) : null
}
