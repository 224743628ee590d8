import { createHmac } from 'node:crypto'
import { z } from 'zod'

/** The signed parts of a request. */
export interface SignedRequest {
  readonly method: string
  /** Path and query, as in the request line. */
  readonly requestUri: string
  /** From the Host header. */
  readonly host: string
  readonly port: number
}

const Attribute = z.string().min(1).max(512)
/** Attributes of an `Authorization: MAC …` header. */
const Credentials = z.object({
  id: Attribute,
  /** Seconds by the client's clock. */
  ts: z.string().regex(/^[1-9]\d{0,11}$/),
  nonce: Attribute,
  ext: z.string().max(512).default(''),
  mac: Attribute,
})
export type MacCredentials = Readonly<z.output<typeof Credentials>>

const SCHEME = /^MAC\s+(.+)$/is
const ONE_ATTRIBUTE = /\s*([a-z]+)="([\x20\x21\x23-\x5b\x5d-\x7e]*)"\s*(?:,|$)/iy

/**
 * Parses the header of draft-ietf-oauth-v2-http-mac-02, 3.1: quoted attributes in any order. Ignores other names.
 * @returns null if malformed, or if an attribute is repeated.
 */
export function readMacHeader(authorizationHeader: string): MacCredentials | null {
  const text = SCHEME.exec(authorizationHeader)?.[1]
  if (text === undefined || text.length > 4_096) return null
  const attributes = new Map<string, string>()
  const pattern = new RegExp(ONE_ATTRIBUTE)
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text)
    if (found === null) return null
    const [, name = '', value = ''] = found
    if (attributes.has(name)) return null
    attributes.set(name, value)
  }
  const parsed = Credentials.safeParse(Object.fromEntries(attributes))
  return parsed.success ? parsed.data : null
}

/** Builds the text that is signed, without the body (draft-ietf-oauth-v2-http-mac-02, 3.2.1). */
export function normalizedRequest(
  { ts, nonce, ext }: Pick<MacCredentials, 'ts' | 'nonce' | 'ext'>,
  { method, requestUri, host, port }: SignedRequest,
): string {
  return [ts, nonce, method.toUpperCase(), requestUri, host.toLowerCase(), port, ext, ''].join('\n')
}

/** Computes `hmac-sha-1` of the draft: base64 of HMAC-SHA1. The key is the 40 characters of the MAC key. */
export function macOf(normalized: string, macKey: string): string {
  return createHmac('sha1', macKey).update(normalized).digest('base64')
}

export function isSignedBy(credentials: MacCredentials, request: SignedRequest, macKey: string): boolean {
  return credentials.mac === macOf(normalizedRequest(credentials, request), macKey)
}
