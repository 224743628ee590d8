import { createHmac, createPrivateKey, generateKeyPairSync, type JsonWebKey, KeyObject, sign } from 'node:crypto'
import { CLIENT, signingKey } from '../start-provider.ts'

export type Claims = Readonly<Record<string, unknown>>

/** How a token is signed, which may be wrong. */
export interface Signing {
  readonly alg?: 'RS256' | 'ES256' | 'HS256' | 'none'
  /** Null for a header without `kid`. */
  readonly kid?: string | null
  /** Default: the key of the provider for the algorithm. */
  readonly key?: KeyObject
  /** True to change the signature. */
  readonly isDamaged?: boolean
}

const RSA_KEY = KeyObject.from((await signingKey).privateKey)
const EC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** A key that no provider has. */
export const FOREIGN_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** The public keys of the provider: RSA, and P-256 for ES256. */
export const RSA_JWK = publicJwk(RSA_KEY, { alg: 'RS256', kid: 'test' })
export const EC_JWK = publicJwk(EC_KEY, { alg: 'ES256', kid: 'ec' })

export function publicJwk(key: KeyObject, more: Claims): Claims {
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...jwk } = key.export({ format: 'jwk' }) as JsonWebKey
  return { ...jwk, use: 'sig', ...more }
}

/** Signs claims as a JWT. It uses no library, because a library refuses what is wrong. */
export function signedToken(claims: Claims, { alg = 'RS256', kid, key, isDamaged = false }: Signing = {}): string {
  const id = kid === undefined ? (alg === 'ES256' ? 'ec' : 'test') : (kid ?? undefined)
  const input = [{ alg, kid: id }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = signatureOf(input, alg, key)
  if (isDamaged) signature[0] = (signature[0] ?? 0) ^ 0x5a
  return `${input}.${signature.toString('base64url')}`
}

function signatureOf(input: string, alg: NonNullable<Signing['alg']>, key: KeyObject | undefined): Buffer {
  if (alg === 'none') return Buffer.alloc(0)
  if (alg === 'HS256') return createHmac('sha256', CLIENT.secret).update(input).digest()
  if (alg === 'ES256') return sign('sha256', Buffer.from(input), { key: key ?? EC_KEY, dsaEncoding: 'ieee-p1363' })
  return sign('sha256', Buffer.from(input), key ?? createPrivateKey(RSA_KEY.export({ type: 'pkcs8', format: 'pem' })))
}

/** Returns the claims of a JWT, unchecked. */
export function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims
}
