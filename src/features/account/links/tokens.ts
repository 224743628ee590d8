import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** Returns a random token for a link, and the digest under which the link is stored. */
export function newToken(): { readonly token: string; readonly digest: string } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, digest: digestOf(token) }
}

/** Returns the digest of a token from a link; null for a text that cannot be a token. */
export function readToken(text: unknown): { readonly token: string; readonly digest: string } | null {
  return typeof text === 'string' && TOKEN.test(text) ? { token: text, digest: digestOf(text) } : null
}

/** No slow hash is needed: a token has 256 random bits. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
