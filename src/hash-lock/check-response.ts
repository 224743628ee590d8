import { timingSafeEqual } from 'node:crypto'
import {
  assertSecret,
  faultInParameters,
  isExpiry,
  LONGEST_RESPONSE_BYTES,
  type ResponseParameters,
  responseHash,
} from './authentication-response.ts'

/** The result of a validation. `expiresAtSeconds` is null if the response has no expiry. */
export type ResponseCheck =
  | { readonly ok: true; readonly parameters: ReadonlyMap<string, string>; readonly expiresAtSeconds: number | null }
  | { readonly ok: false; readonly reason: 'malformed' | 'expired' | 'wrong-hash' }

/** The parts of a response, not verified. */
export interface ResponseParts {
  readonly parameters: ResponseParameters
  readonly expiresAtSeconds: number | null
  readonly hash: string
}

/** PHP writes characters beyond ASCII as \uXXXX: six bytes instead of two. */
const LONGEST_ESCAPED_BYTES = 3 * LONGEST_RESPONSE_BYTES

/**
 * Validates a response as the service does. At the second of its expiry a response is expired.
 *
 * A response whose `hashExpire` was renamed to a parameter has the same hash. The format cannot tell it from a response
 * without an expiry, so it is accepted with `expiresAtSeconds: null`.
 *
 * @param json the decoded value of the query parameter `hash`.
 * @param nowSeconds UNIX time in seconds.
 * @throws RangeError for an empty secret, because anyone could build a response for it.
 */
export function checkAuthenticationResponse(json: string, secret: string, nowSeconds: number): ResponseCheck {
  assertSecret(secret)
  const parts = parseAuthenticationResponse(json)
  if (parts === null || faultInParameters(parts.parameters) !== null) return { ok: false, reason: 'malformed' }
  const expected = responseHash(parts.parameters, parts.expiresAtSeconds, secret)
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(parts.hash))) return { ok: false, reason: 'wrong-hash' }
  // Not "expiry <= now": if the clock returned NaN, every response would be valid.
  const isAlive = parts.expiresAtSeconds === null || parts.expiresAtSeconds > nowSeconds
  if (!isAlive) return { ok: false, reason: 'expired' }
  return { ok: true, parameters: new Map(parts.parameters), expiresAtSeconds: parts.expiresAtSeconds }
}

/**
 * Parses a response without verifying it; null if the text has another form. Does not refuse repeated or reserved
 * names.
 */
export function parseAuthenticationResponse(json: string): ResponseParts | null {
  if (Buffer.byteLength(json) > LONGEST_ESCAPED_BYTES) return null
  const pairs = parsePairs(json)
  const last = pairs?.pop()
  if (!pairs || last?.[0] !== 'hash' || typeof last[1] !== 'string' || !/^[0-9a-f]{32}$/.test(last[1])) return null
  const expiry = pairs.at(-1)?.[0] === 'hashExpire' ? pairs.pop()?.[1] : undefined
  if (expiry !== undefined && !isExpiry(expiry)) return null
  const parameters: [string, string][] = []
  for (const [name, value] of pairs) {
    if (typeof value !== 'string') return null
    parameters.push([name, value])
  }
  return { parameters, expiresAtSeconds: expiry ?? null, hash: last[1] }
}

function parsePairs(json: string): [name: string, value: unknown][] | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch {
    return null
  }
  if (!Array.isArray(parsed)) return null
  const pairs: [string, unknown][] = []
  for (const item of parsed as unknown[]) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return null
    const [pair, ...extra] = Object.entries(item)
    if (!pair || extra.length > 0) return null
    pairs.push(pair)
  }
  return pairs
}
