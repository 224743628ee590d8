import type { DatabaseSync } from 'node:sqlite'
import { errors, jwtVerify, SignJWT } from 'jose'
import { signingKey } from '../signing-key.ts'
import { findToken, type Grant, type IssuedToken, issueToken } from './token-store.ts'

export interface AnalyticsTokenDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
}

export type AnalyticsTokenCheck =
  | { readonly ok: true; readonly ownerId: number }
  /** A sentence for the developer; it holds nothing of the token. */
  | { readonly ok: false; readonly reason: string }

const ISSUER = 'emulated-video-service'
const AUDIENCE = 'analytics'
const LONGEST_HEADER = 4_096

const SENTENCE = {
  unknown: 'The token is not known here: it was issued before a reset, or by another emulator',
  expired: 'The token has expired',
  revoked: 'The token was revoked by its user',
} as const

/** Signs a JWT for the analytics API and stores its id, by which it can be revoked. */
export async function issueAnalyticsToken(
  { database, nowSeconds }: AnalyticsTokenDeps,
  grant: Omit<Grant, 'kind'>,
): Promise<IssuedToken> {
  const issued = issueToken(database, { ...grant, kind: 'jwt' }, nowSeconds())
  const accessToken = await new SignJWT()
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(String(grant.userId))
    .setJti(issued.accessToken)
    .setIssuedAt(issued.createdAtSeconds)
    .setExpirationTime(issued.createdAtSeconds + issued.expiresInSeconds)
    .sign(signingKey(database, 'analytics-token'))
  return { ...issued, accessToken }
}

/**
 * Whose content the caller may see. The documented form is the JWT alone as the value of the header, without a scheme.
 * @param authorizationHeader as received; undefined when absent.
 */
export async function verifyAnalyticsToken(
  { database, nowSeconds }: AnalyticsTokenDeps,
  authorizationHeader: string | undefined,
): Promise<AnalyticsTokenCheck> {
  const header = authorizationHeader?.trim() ?? ''
  if (header === '') return { ok: false, reason: 'The Authorization header with the JWT is missing' }
  if (/^bearer\s/i.test(header)) {
    return { ok: false, reason: 'The Authorization header holds the JWT alone, without "Bearer" before it' }
  }
  if (header.length > LONGEST_HEADER || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(header)) {
    return { ok: false, reason: 'The Authorization header does not hold a JWT (token_type=jwt at the token endpoint)' }
  }
  try {
    const { payload } = await jwtVerify(header, signingKey(database, 'analytics-token'), {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['jti', 'exp'],
      currentDate: new Date(nowSeconds() * 1000),
    })
    const found = findToken(database, payload.jti ?? '', nowSeconds())
    if (!found.ok) return { ok: false, reason: SENTENCE[found.reason] }
    if (found.token.kind !== 'jwt') return { ok: false, reason: SENTENCE.unknown }
    return { ok: true, ownerId: found.token.userId }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { ok: false, reason: SENTENCE.expired }
    if (error instanceof errors.JOSEError) return { ok: false, reason: 'The signature or a claim of the JWT is wrong' }
    throw error
  }
}
