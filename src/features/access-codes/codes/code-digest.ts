import { createHmac } from 'node:crypto'

/**
 * Returns the digest by which a store knows a code: HMAC-SHA-256. A code has about 46 random bits, so a thief of the
 * store could find codes within minutes if the hash had no key. A code of another entry point has another digest.
 * @param key ACCESS_CODE_KEY.
 * @param code canonical, as `canonicalCode()` returns it.
 */
export function codeDigest(key: string, entryPoint: string, code: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['access code 1', entryPoint, code]))
    .digest('base64url')
}
