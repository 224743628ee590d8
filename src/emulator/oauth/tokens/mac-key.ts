import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * An HMAC needs the key itself, so a MAC key cannot be kept as a digest like a token. It is kept encrypted under its own
 * access token, of which the database holds only the digest: a copy of the database signs nothing.
 */
export function sealMacKey(macKey: string, accessToken: string): Uint8Array {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(accessToken), iv)
  return Buffer.concat([iv, cipher.update(macKey, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** @throws Error when the token is not the one it was sealed under. */
export function openMacKey(sealed: Uint8Array, accessToken: string): string {
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(accessToken), sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const opened = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES))
  return Buffer.concat([opened, decipher.final()]).toString('utf8')
}

function sealingKey(accessToken: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', accessToken, '', 'mac-key', 32))
}
