import { createPublicKey, type KeyObject } from 'node:crypto'
import { CompactEncrypt, CompactSign } from 'jose'
import { CONTENT_KEY, KID, SERVICE_KEY } from './jwcrypto-vectors.ts'

/** Makes tokens with jose, without the code of `src`. */

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
