import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { randomKey } from '../../seed/secrets.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { findToken, type Grant, type IssuedToken, issueToken, TOKEN_LIFETIME_SECONDS } from './token-store.ts'

export type AnalyticsTokenCheck =
  | { readonly ok: true; readonly ownerId: number }
  /** A sentence for the developer, without any part of the token. */
  | { readonly ok: false; readonly reason: string }

/** Makes a JWT for the analytics API. The emulator knows its tokens by their digests, so that it keeps no key. */
export async function issueAnalyticsToken(
  { database, nowSeconds }: Omit<ServiceDeps, 'publicUrl'>,
  grant: Omit<Grant, 'kind'>,
): Promise<IssuedToken> {
  const iat = nowSeconds()
  const times = { iat, exp: iat + TOKEN_LIFETIME_SECONDS }
  const claims = { iss: 'emulated-video-service', aud: 'analytics', sub: String(grant.userId), jti: randomKey() }
  const jwt = new SignJWT({ ...claims, ...times }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
  return issueToken(database, { ...grant, kind: 'jwt' }, iat, await jwt.sign(randomBytes(32)))
}

/**
 * Checks the JWT of a request to the analytics API. By the documents the header holds only the JWT, without a scheme.
 * @param authorizationHeader as received; undefined if absent.
 */
export function verifyAnalyticsToken(
  { database, nowSeconds }: Omit<ServiceDeps, 'publicUrl'>,
  authorizationHeader: string | undefined,
): AnalyticsTokenCheck {
  const header = authorizationHeader?.trim() ?? ''
  if (header === '') return { ok: false, reason: 'No Authorization header with a JWT was sent' }
  if (/^bearer\s/i.test(header)) {
    return { ok: false, reason: 'The Authorization header must hold only the JWT, without "Bearer"' }
  }
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(header)) {
    return { ok: false, reason: 'The Authorization header holds no JWT. Get one with token_type=jwt' }
  }
  const found = findToken(database, header, nowSeconds())
  return found.ok ? { ok: true, ownerId: found.token.userId } : { ok: false, reason: `The JWT ${found.reason}` }
}
