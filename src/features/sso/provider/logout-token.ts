import { decodeJwt, type JWTPayload } from 'jose'
import type { Configuration } from 'openid-client'
import { z } from 'zod'
import { orUndefined, UpstreamError } from '../../../errors.ts'
import type { IdentityLogout } from '../../../sessions/identity.ts'
import type { SsoSettings } from '../settings/sso-settings.ts'
import { createProviderKeys, tokenFault, verifyToken } from './signed-token.ts'

/** A provider that may send logout tokens. Entra ID writes `{tenantid}` in place of the tenant in its issuer. */
export type LogoutIssuer = ReturnType<typeof logoutIssuerOf>

export type LogoutCheck =
  | { readonly ok: true; readonly logout: IdentityLogout; readonly tokenId: string }
  /** `reason` is for the log, and contains no value of the token. */
  | { readonly ok: false; readonly reason: string }

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** `JWT` and an absent type are from providers that are older than `logout+jwt`. The event is what tells the tokens apart. */
const TYPES: readonly unknown[] = ['logout+jwt', 'application/logout+jwt', 'jwt', undefined]
const CLOCK_TOLERANCE_SECONDS = 10
/** Counts from `iat`, because some providers send no `exp`. A provider that tries again makes a new token. */
const LONGEST_LIFE_SECONDS = 300
const TENANT = '{tenantid}'

const Id = z.string().min(1).max(255)
const Claims = z.object({
  iss: z.string(),
  jti: Id,
  sub: Id.optional(),
  sid: Id.optional(),
  events: z.looseObject({ [EVENT]: z.looseObject({}) }),
  // An ID token has one.
  nonce: z.never().optional(),
})

/** @throws UpstreamError if the provider has no keys. */
export function logoutIssuerOf(
  provider: Configuration,
  { clientId, tenants }: Pick<SsoSettings, 'clientId' | 'tenants'>,
  timeoutSeconds: number,
) {
  const { issuer, jwks_uri: address = '', id_token_signing_alg_values_supported: listed } = provider.serverMetadata()
  const isSafe = URL.canParse(address) && (address.startsWith('https:') || issuer.startsWith('http:'))
  if (!isSafe) throw new UpstreamError('sso-provider', 'The discovery document has no usable jwks_uri')
  return { issuer, clientId, tenants, keys: createProviderKeys(address, listed, timeoutSeconds) }
}

/**
 * Checks a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6), except whether it was used before.
 * @param providers null for each provider that could not be read yet.
 * @throws UpstreamError if the provider or its keys cannot be read.
 */
export async function checkLogoutToken(
  token: string,
  providers: readonly (LogoutIssuer | null)[],
  nowSeconds: number,
): Promise<LogoutCheck> {
  const unchecked = orUndefined(() => decodeJwt(token))
  if (unchecked === undefined) return refusal('malformed')
  const known = providers.filter((provider) => provider !== null)
  const ofIssuer = known.filter((provider) => isIssuer(provider, unchecked))
  if (ofIssuer.length === 0) {
    if (known.length === providers.length) return refusal('claim-iss')
    throw new UpstreamError('sso-provider', 'A logout token came before the identity provider could be read')
  }
  const provider = ofIssuer.find(({ clientId }) => [unchecked.aud].flat().every((audience) => audience === clientId))
  if (provider === undefined) return refusal('claim-aud')
  try {
    const { payload, protectedHeader } = await verifyToken(token, provider.keys, {
      audience: provider.clientId,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      maxTokenAge: LONGEST_LIFE_SECONDS,
      currentDate: new Date(nowSeconds * 1000),
    })
    if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) return refusal('header-typ')
    return logoutOf(payload)
  } catch (error) {
    return refusal(tokenFault(error))
  }
}

function isIssuer({ issuer, tenants }: LogoutIssuer, { iss, tid }: JWTPayload): boolean {
  if (!issuer.includes(TENANT)) return iss === issuer
  return typeof tid === 'string' && tenants?.includes(tid) === true && iss === issuer.replaceAll(TENANT, tid)
}

function logoutOf(payload: JWTPayload): LogoutCheck {
  const claims = Claims.safeParse(payload)
  if (!claims.success) return refusal(`claim-${String(claims.error.issues[0]?.path[0])}`)
  const { iss: issuer, jti: tokenId, sub: subject = null, sid: providerSession = null } = claims.data
  if (subject === null && providerSession === null) return refusal('claim-sub')
  return { ok: true, logout: { issuer, subject, providerSession }, tokenId }
}

function refusal(reason: string): LogoutCheck {
  return { ok: false, reason }
}
