import type { KeyObject } from 'node:crypto'
import { CONTENT_ENCRYPTION, KEY_ENCRYPTION, SIGNATURE } from './compact-token.ts'
import { publicHalf } from './content-key.ts'
import { parseJsonObject } from './json-object.ts'
import { faultInSubject, TOKEN_LIFETIME_SECONDS } from './viewer-token.ts'

/** A private key of the service. Only the service has one. */
export interface ServicePrivateKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** The keys of a check: the private keys that the service still accepts, and the public key of the channel or video. */
export interface CheckKeys {
  readonly serviceKeys: readonly ServicePrivateKey[]
  readonly contentKey: KeyObject
}

/** The reasons in the order of the check. describeTokenCheck() explains them. */
type EnvelopeFault = 'malformed' | 'not-encrypted' | 'other-encryption' | 'unknown-service-key'
type SignedFault = 'not-signed' | 'other-signature' | 'wrong-signature' | 'wrong-claims'
type TimeFault = 'issued-in-future' | 'expired'

export type EnvelopeCheck =
  | { readonly ok: true; readonly kid: string }
  | { readonly ok: false; readonly reason: EnvelopeFault }

export type TokenCheck =
  | { readonly ok: true; readonly subject: string; readonly issuedAtSeconds: number }
  | { readonly ok: false; readonly reason: EnvelopeFault | 'wrong-service-key' | SignedFault }
  | { readonly ok: false; readonly reason: TimeFault; readonly issuedAtSeconds: number }

/** buildViewerToken() builds at most 6,400 characters: with keys of 8192 bits, and the longest `sub` and `kid`. */
const LONGEST_TOKEN = 8192

/**
 * Checks a token as the service does, with fixed algorithms: decrypts the token, verifies the signature, and reads the
 * claims. The caller must refuse a second use. A token has only one spelling, so its digest identifies it.
 * @param token the decoded value of the query parameter `vt`; any text.
 * @param nowSeconds UNIX time in seconds.
 */
export async function checkViewerToken(
  token: string,
  { serviceKeys, contentKey }: CheckKeys,
  nowSeconds: number,
): Promise<TokenCheck> {
  const kids = serviceKeys.map(({ kid }) => kid)
  const envelope = checkEnvelope(token, kids)
  if (!envelope.ok) return envelope
  const key = serviceKeys[kids.indexOf(envelope.kid)]
  const signed = key === undefined ? null : await decrypt(token, key.privateKey)
  if (signed === null) return { ok: false, reason: 'wrong-service-key' }
  return await checkSignedToken(signed, contentKey, nowSeconds)
}

/**
 * Checks what is readable without the private key of the service.
 * @param kids the ids of the keys that the service accepts.
 */
export function checkEnvelope(token: string, kids: readonly string[]): EnvelopeCheck {
  const parts = partsOf(token)
  if (parts?.length === 3) return { ok: false, reason: 'not-encrypted' }
  const header = parts?.length === 5 ? parseJsonObject(textOf(parts[0])) : null
  if (header === null) return { ok: false, reason: 'malformed' }
  const { alg, enc, kid, zip } = header
  if (alg !== KEY_ENCRYPTION || enc !== CONTENT_ENCRYPTION || zip !== undefined)
    return { ok: false, reason: 'other-encryption' }
  if (typeof kid !== 'string' || !kids.includes(kid)) return { ok: false, reason: 'unknown-service-key' }
  return { ok: true, kid }
}

/**
 * Checks the signed token inside a viewer token: its signature, `sub` and `iat`, and `exp` if there is one.
 * @param contentKey the public or the private key of the channel or video.
 */
export async function checkSignedToken(signed: string, contentKey: KeyObject, nowSeconds: number): Promise<TokenCheck> {
  const parts = partsOf(signed)
  const header = parts?.length === 3 ? parseJsonObject(textOf(parts[0])) : null
  if (header === null) return { ok: false, reason: 'not-signed' }
  if (header.alg !== SIGNATURE) return { ok: false, reason: 'other-signature' }
  const payload = await verify(signed, contentKey)
  if (payload === null) return { ok: false, reason: 'wrong-signature' }
  const { sub, iat, exp = Number.POSITIVE_INFINITY } = parseJsonObject(payload) ?? {}
  const isSubject = typeof sub === 'string' && faultInSubject(sub) === null
  if (!isSubject || !isWholeSeconds(iat) || typeof exp !== 'number') return { ok: false, reason: 'wrong-claims' }
  const ageSeconds = Math.floor(nowSeconds) - iat
  // Not "age < 0": if the clock returned NaN, every token would be valid.
  if (!(ageSeconds >= 0)) return { ok: false, reason: 'issued-in-future', issuedAtSeconds: iat }
  if (ageSeconds > TOKEN_LIFETIME_SECONDS || exp <= nowSeconds) {
    return { ok: false, reason: 'expired', issuedAtSeconds: iat }
  }
  return { ok: true, subject: sub, issuedAtSeconds: iat }
}

/** Returns the signed token. Null if the token was encrypted with another key, or altered. */
async function decrypt(token: string, privateKey: KeyObject): Promise<string | null> {
  const { compactDecrypt, errors } = await import('jose')
  // A library may accept an encrypted key without its leading zero byte: a second spelling of one token in 256.
  const keyBytes = Buffer.from(token.split('.')[1] ?? '', 'base64url').length
  if (keyBytes * 8 !== privateKey.asymmetricKeyDetails?.modulusLength) return null
  const algorithms = {
    keyManagementAlgorithms: [KEY_ENCRYPTION],
    contentEncryptionAlgorithms: [CONTENT_ENCRYPTION],
  }
  try {
    const { plaintext } = await compactDecrypt(token, privateKey, algorithms)
    return Buffer.from(plaintext).toString()
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** Returns the payload. Null if the signature is wrong. */
async function verify(signed: string, contentKey: KeyObject): Promise<string | null> {
  const { compactVerify, errors } = await import('jose')
  try {
    const { payload } = await compactVerify(signed, publicHalf(contentKey), { algorithms: [SIGNATURE] })
    return Buffer.from(payload).toString()
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/**
 * Returns the parts of a token in compact form. Null if a part is not base64url in its only spelling: decoders ignore
 * other characters and surplus bits, so an altered copy of a token could be used once more.
 */
function partsOf(token: string): string[] | null {
  if (token.length > LONGEST_TOKEN) return null
  const parts = token.split('.')
  return parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part) ? parts : null
}

function textOf(part = ''): string {
  return Buffer.from(part, 'base64url').toString()
}

function isWholeSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
