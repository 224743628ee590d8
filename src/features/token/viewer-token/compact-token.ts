import { constants, createCipheriv, createHmac, type KeyObject, publicEncrypt, randomBytes, sign } from 'node:crypto'
import type { ServiceKey } from './service-keys.ts'

/** The algorithms of the service's documentation. No other algorithm is built or accepted. */
export const SIGNATURE = 'RS512'
export const KEY_ENCRYPTION = 'RSA-OAEP'
export const CONTENT_ENCRYPTION = 'A256CBC-HS512'

/** A256CBC-HS512 takes a key of 64 bytes: one half for the authentication, then one for AES. */
const KEY_BYTES = 64
const HALF_BYTES = 32
const IV_BYTES = 16

/** Signs claims in a thread of Node's pool: a JWS in compact form (RFC 7515, section 7.1; RFC 7518, section 3.3). */
export async function signToken(claims: object, contentKey: KeyObject): Promise<string> {
  const signed = `${base64url({ alg: SIGNATURE, typ: 'JWT' })}.${base64url(claims)}`
  const signature = await new Promise<Buffer>((resolve, reject) => {
    sign('RSA-SHA512', Buffer.from(signed), contentKey, (error, bytes) => (error ? reject(error) : resolve(bytes)))
  })
  return `${signed}.${signature.toString('base64url')}`
}

/**
 * Encrypts a signed token for the service: a JWE in compact form, with a new content encryption key and initialization
 * vector for each token (RFC 7516, section 5.1; RFC 7518, sections 4.3 and 5.2.2).
 */
export function encryptToken(signed: string, { kid, publicKey }: ServiceKey): string {
  const header = base64url({ alg: KEY_ENCRYPTION, enc: CONTENT_ENCRYPTION, typ: 'JWT', kid })
  const random = randomBytes(KEY_BYTES + IV_BYTES)
  const key = random.subarray(0, KEY_BYTES)
  const iv = random.subarray(KEY_BYTES)
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const encryptedKey = publicEncrypt({ key: publicKey, padding, oaepHash: 'sha1' }, key)
  const cipher = createCipheriv('aes-256-cbc', key.subarray(HALF_BYTES), iv)
  const ciphertext = Buffer.concat([cipher.update(signed), cipher.final()])
  const authenticated = Buffer.concat([Buffer.from(header), iv, ciphertext, bitLength(header)])
  const mac = createHmac('sha512', key.subarray(0, HALF_BYTES)).update(authenticated).digest()
  const parts = [encryptedKey, iv, ciphertext, mac.subarray(0, HALF_BYTES)]
  return [header, ...parts.map((bytes) => bytes.toString('base64url'))].join('.')
}

/** Returns the length of an ASCII text in bits, as a number of 64 bits. */
function bitLength(text: string): Buffer {
  const bits = Buffer.alloc(8)
  bits.writeBigUInt64BE(BigInt(text.length * 8))
  return bits
}

function base64url(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url')
}
