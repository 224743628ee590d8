import { createHmac } from 'node:crypto'

/**
 * Returns the digest by which a store knows a code: HMAC-SHA-256. A code has about 46 random bits, so a hash without a key
 * could be tried out within minutes by a thief of the store. A code of another entry point has another digest.
 * @param key ACCESS_CODE_KEY.
 * @param code in its one form.
 */
export function codeDigest(key: string, entryPoint: string, code: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['access code 1', entryPoint, code]))
    .digest('base64url')
}
