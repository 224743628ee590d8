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
  /** `note` is for the log: the groups that are left out. Of the claims, it contains only names of groups. */
  | { readonly ok: true; readonly identity: Identity; readonly note?: string }
  /** `detail` is for the log, and contains no value of a claim. */
  | { readonly ok: false; readonly reason: RefusalReason; readonly detail?: string }

/** The settings that use claims. */
export interface ClaimSettings
  extends Pick<SsoSettings, 'usernameClaim' | 'groupsClaim' | 'attributes' | 'tenants' | 'issuer'> {
  /** The groups of ALLOWED_GROUPS, which come first if a person has too many. */
  readonly allowedGroups: readonly string[]
}

const LONGEST_SUBJECT = 255
const MOST_GROUPS = 1_000
/** Bounds for the names of groups in the log. */
const MOST_NAMES = 5
const LONGEST_NAME = 60
const GOOGLE = 'https://accounts.google.com'

/** Turns the claims into a viewer, or says why the viewer is refused. */
export function viewerOfClaims(claims: Claims, settings: ClaimSettings): ProviderAnswer {
  const { usernameClaim, groupsClaim, tenants } = settings
  if (claims.sub === '') return refusal('unusable-claim', 'sub is empty')
  if (claims.sub.length > LONGEST_SUBJECT) return refusal('unusable-claim', 'sub is too long')
  const tenantClaim = settings.issuer === GOOGLE ? 'hd' : 'tid'
  const tenant = claims[tenantClaim]
  if (tenants !== null && !(typeof tenant === 'string' && tenants.includes(tenant))) {
    return refusal('wrong-tenant', `${tenantClaim} is not in OIDC_TENANTS`)
  }
  if (hasGroupsElsewhere(claims, groupsClaim)) return refusal('groups-overage', groupsClaim)
  const username = textOf(claims[usernameClaim])
  const fault = username === null ? faultInType(claims[usernameClaim]) : faultInUsername(withoutBars(username))
  if (username === null || fault !== null) return refusal('unusable-claim', `${usernameClaim} ${fault}`)
  if (usernameClaim === 'email' && !isVerified(claims)) return refusal('email-not-verified')
  const { groups, leftOut } = groupsOf(claims[groupsClaim], settings.allowedGroups)
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
    ...(leftOut.length > 0 && { note: `${groupsClaim}: left out ${describeNames(leftOut)}` }),
  }
}

/** True if the provider says that it verified the address. Some providers write the word as text (OpenID Connect Core, 5.1). */
function isVerified({ email_verified: word }: Claims): boolean {
  return word === true || word === 'true'
}

/** True if the user name or an attribute is not among the claims. `email` counts only with `email_verified`. */
export function lacksClaims(claims: Claims, { usernameClaim, attributes }: ClaimSettings): boolean {
  const wanted = [usernameClaim, ...attributes.map(({ claim }) => claim)]
  const needed = wanted.includes('email') ? [...wanted, 'email_verified'] : wanted
  return needed.some((claim) => claims[claim] === undefined)
}

/** Adds the claims that the ID token lacks. `email_verified` speaks of the address in the same document. */
export function withUserInfo(idToken: Claims, userInfo: Readonly<Record<string, unknown>>): Claims {
  const isComplete = idToken.email !== undefined && idToken.email_verified !== undefined
  const source = isComplete || userInfo.email === undefined ? idToken : userInfo
  return { ...userInfo, ...idToken, email: source.email, email_verified: source.email_verified }
}

/** Describes names for the log: the first ones, each cut off. */
function describeNames(names: readonly unknown[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(name)?.slice(0, LONGEST_NAME))
  return `${names.length}: ${shown.join(', ')}`
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

/** Returns the groups, and what cannot name a group: no viewer is refused for that. */
function groupsOf(claim: unknown, allowedGroups: readonly string[]) {
  if (claim === undefined || claim === null) return { groups: [], leftOut: [] }
  const groups: string[] = []
  const leftOut: unknown[] = []
  for (const group of new Set(Array.isArray(claim) ? (claim as unknown[]) : [claim])) {
    if (typeof group === 'string' && faultInValue(group) === null) groups.push(group)
    else leftOut.push(group)
  }
  if (groups.length <= MOST_GROUPS) return { groups, leftOut }
  const isAllowed = (group: string) => Number(allowedGroups.includes(canonicalText(group)))
  const sorted = groups.toSorted((one, other) => isAllowed(other) - isAllowed(one))
  return { groups: sorted.slice(0, MOST_GROUPS), leftOut: [...leftOut, ...sorted.slice(MOST_GROUPS)] }
}

/** Returns the attributes. A missing claim is left out. Returns the fault of a claim that no response can carry. */
function attributesOf(claims: Claims, { attributes }: ClaimSettings): Record<string, string> | string {
  const values: Record<string, string> = {}
  for (const { name, claim } of attributes) {
    // A person can type any address as long as it is not verified.
    const isUsable = claim !== 'email' || isVerified(claims)
    const value = claims[claim]
    if (value === undefined || value === null || !isUsable) continue
    const text = textOf(value)
    const fault = text === null ? faultInType(value) : faultInValue(withoutBars(canonicalText(text)))
    if (text === null || fault !== null) return `${claim} ${fault}`
    values[name] = text
  }
  return values
}

/** Accepts "|", as in `sub` of Auth0. Only a hash cannot carry "|", and refuses the viewer itself. */
function withoutBars(text: string): string {
  return text.replaceAll('|', '_')
}

function faultInType(claim: unknown): string {
  if (claim === undefined || claim === null) return 'is missing'
  return Array.isArray(claim) ? 'is a list' : 'is neither a text nor a number nor a boolean'
}

function textOf(claim: unknown): string | null {
  // JSON.parse() rounds larger numbers, so that two people could get the same one.
  const isExact = typeof claim === 'number' && Math.abs(claim) <= Number.MAX_SAFE_INTEGER
  return typeof claim === 'string' || typeof claim === 'boolean' || isExact ? String(claim) : null
}
