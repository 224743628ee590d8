import { createPublicKey, type KeyObject } from 'node:crypto'
import { CompactEncrypt, CompactSign, compactDecrypt, compactVerify } from 'jose'
import { CONTENT_KEY, KID, SERVICE_KEY } from './jwcrypto-vectors.ts'

/** Makes and reads tokens with jose, without the code of `src`. */

const SERVICE_PUBLIC_KEY = createPublicKey(SERVICE_KEY)

/** The documented header of an encrypted token. */
export const OUTER = { alg: 'RSA-OAEP', enc: 'A256CBC-HS512', typ: 'JWT', kid: KID }

/** Encrypts a text for the service, by default as the documentation says. */
export function encrypt(content: string, header: object = OUTER, key: KeyObject = SERVICE_PUBLIC_KEY): Promise<string> {
  return new CompactEncrypt(Buffer.from(content)).setProtectedHeader(header as typeof OUTER).encrypt(key)
}

/** Signs claims, by default as the documentation says. */
export function sign(
  claims: string,
  alg = 'RS512',
  key: KeyObject | Uint8Array = CONTENT_KEY,
  header = {},
): Promise<string> {
  return new CompactSign(Buffer.from(claims)).setProtectedHeader({ alg, typ: 'JWT', ...header }).sign(key)
}

/** Returns the claims of a token. @throws Error if it is encrypted or signed for others. */
export async function claimsOf(token: string): Promise<{ readonly sub: string; readonly iat: number }> {
  const { plaintext } = await compactDecrypt(token, SERVICE_KEY)
  const { payload } = await compactVerify(plaintext, createPublicKey(CONTENT_KEY))
  return JSON.parse(Buffer.from(payload).toString())
}
