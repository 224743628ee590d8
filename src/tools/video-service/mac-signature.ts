import { createHmac } from 'node:crypto'

/** The two halves of a MAC token. */
export interface MacKey {
  readonly id: string
  readonly key: string
}

export interface SignedRequest {
  readonly method: string
  readonly url: URL
  /** UNIX time in whole seconds. */
  readonly timestampSeconds: number
  /** Unique for each timestamp. */
  readonly nonce: string
}

/**
 * Returns the `Authorization` header of a request signed with `hmac-sha-1`. The documentation does not show the format.
 * This one is from draft-ietf-oauth-v2-http-mac-01, section 3, without `ext`.
 */
export function macAuthorization({ id, key }: MacKey, { method, url, timestampSeconds, nonce }: SignedRequest): string {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const lines = [timestampSeconds, nonce, method, url.pathname + url.search, url.hostname.toLowerCase(), port, '']
  const normalized = lines.map((line) => `${line}\n`).join('')
  const mac = createHmac('sha1', key).update(normalized, 'utf8').digest('base64')
  return `MAC id="${id}", ts="${timestampSeconds}", nonce="${nonce}", mac="${mac}"`
}
