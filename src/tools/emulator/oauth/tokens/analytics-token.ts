import type { DatabaseSync } from 'node:sqlite'
import { errors } from 'jose'
import { signClaims, verifyClaims } from '../signing-key.ts'
import { findToken, type Grant, type IssuedToken, issueToken } from './token-store.ts'

export interface AnalyticsTokenDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
}

export type AnalyticsTokenCheck =
  | { readonly ok: true; readonly ownerId: number }
  /** A sentence for the developer, without any part of the token. */
  | { readonly ok: false; readonly reason: string }

const ISSUER = 'emulated-video-service'
const AUDIENCE = 'analytics'
const MAX_HEADER_LENGTH = 4_096

const SENTENCE = {
  unknown: 'The token is unknown. Perhaps it was issued before a reset, or by another emulator',
  expired: 'The token has expired',
  revoked: 'The user revoked the token',
} as const

/** Signs a JWT for the analytics API, and stores its id so that it can be revoked. */
export async function issueAnalyticsToken(
  { database, nowSeconds }: AnalyticsTokenDeps,
  grant: Omit<Grant, 'kind'>,
): Promise<IssuedToken> {
  const issued = issueToken(database, { ...grant, kind: 'jwt' }, nowSeconds())
  const accessToken = await signClaims(database, 'analytics-token', {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: String(grant.userId),
    jti: issued.accessToken,
    iat: issued.createdAtSeconds,
    exp: issued.createdAtSeconds + issued.expiresInSeconds,
  })
  return { ...issued, accessToken }
}

/**
 * Checks the JWT of a request to the analytics API. By the documents the header holds only the JWT, without a scheme.
 * @param authorizationHeader as received; undefined if absent.
 */
export async function verifyAnalyticsToken(
  { database, nowSeconds }: AnalyticsTokenDeps,
  authorizationHeader: string | undefined,
): Promise<AnalyticsTokenCheck> {
  const header = authorizationHeader?.trim() ?? ''
  if (header === '') return { ok: false, reason: 'No Authorization header with a JWT was sent' }
  if (/^bearer\s/i.test(header)) {
    return { ok: false, reason: 'The Authorization header must hold only the JWT, without "Bearer"' }
  }
  if (header.length > MAX_HEADER_LENGTH || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(header)) {
    return { ok: false, reason: 'The Authorization header holds no JWT. Get one with token_type=jwt' }
  }
  try {
    const options = { issuer: ISSUER, audience: AUDIENCE, requiredClaims: ['jti', 'exp'] }
    const { jti = '' } = await verifyClaims(database, 'analytics-token', header, nowSeconds(), options)
    const found = findToken(database, jti, nowSeconds())
    if (!found.ok) return { ok: false, reason: SENTENCE[found.reason] }
    if (found.token.kind !== 'jwt') return { ok: false, reason: SENTENCE.unknown }
    return { ok: true, ownerId: found.token.userId }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { ok: false, reason: SENTENCE.expired }
    if (error instanceof errors.JOSEError) return { ok: false, reason: 'The signature or a claim of the JWT is wrong' }
    throw error
  }
}
