import { timingSafeEqual } from 'node:crypto'
import { jsonIn } from '../json-text.ts'
import {
  assertSecret,
  faultInParameters,
  isExpiry,
  LONGEST_RESPONSE_BYTES,
  responseHash,
} from './authentication-response.ts'

/** The result of a validation. `expiresAtSeconds` is null if the response has no expiry. */
export type ResponseCheck =
  | {
      readonly ok: true
      readonly parameters: ReadonlyMap<string, string>
      readonly expiresAtSeconds: number | null
      readonly isInOrder: boolean
    }
  | { readonly ok: false; readonly reason: 'malformed' | 'expired' | 'wrong-hash' }

/** The parts of a response, not verified. `isInOrder` is false if `hashExpire` comes after the hash, as in samples of the service. */
export type ResponseParts = Exclude<ReturnType<typeof readResponse>, string>

/** PHP writes characters beyond ASCII as \uXXXX: six bytes instead of two. */
const LONGEST_ESCAPED_BYTES = 3 * LONGEST_RESPONSE_BYTES

/**
 * Validates a response as the service does. At the second of its expiry a response is expired. `hashExpire` may be text:
 * the specification names no JSON type.
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
  const { parameters, expiresAtSeconds, isInOrder } = parts
  return { ok: true, parameters: new Map(parameters), expiresAtSeconds, isInOrder }
}

/** Parses a response without verifying it; null if the text has another form. */
export function parseAuthenticationResponse(json: string): ResponseParts | null {
  const parts = readResponse(json)
  return typeof parts === 'string' ? null : parts
}

/** As parseAuthenticationResponse(), or the fault as a sentence. Does not refuse repeated or reserved names. */
export function readResponse(json: string) {
  if (Buffer.byteLength(json) > LONGEST_ESCAPED_BYTES) return 'It is too long.'
  const pairs = parsePairs(json)
  if (typeof pairs === 'string') return pairs
  const isInOrder = pairs.at(-1)?.[0] !== 'hashExpire' || pairs.at(-2)?.[0] !== 'hash'
  if (!isInOrder) pairs.push(...pairs.splice(-2).toReversed())
  const [last, hash] = pairs.pop() ?? []
  if (last !== 'hash') return 'The last object must be the hash.'
  if (typeof hash !== 'string' || !/^[0-9a-f]{32}$/i.test(hash)) {
    return 'The hash must be an MD5 digest: 32 hexadecimal digits.'
  }
  if (/[A-F]/.test(hash)) return 'The hash must be in lower case.'
  const given = pairs.at(-1)?.[0] === 'hashExpire' ? pairs.pop()?.[1] : undefined
  const expiry = typeof given === 'string' && /^[1-9]\d*$/.test(given) ? Number(given) : given
  if (expiry !== undefined && !isExpiry(expiry)) return 'hashExpire must be a whole number of seconds.'
  const parameters: [string, string][] = []
  for (const [name, value] of pairs) {
    if (typeof value === 'string') parameters.push([name, value])
    else if (name === 'hashExpire') return 'hashExpire must be directly before the hash.'
    else return `The value of ${JSON.stringify(name)} must be text.`
  }
  return { parameters, expiresAtSeconds: expiry ?? null, hash, isInOrder }
}

function parsePairs(json: string): [name: string, value: unknown][] | string {
  const parsed = jsonIn(json)
  if (parsed === undefined) return /^%5B/i.test(json) ? 'It is percent-encoded twice.' : 'It is not JSON.'
  if (!Array.isArray(parsed)) return 'It must be a JSON array of objects with one key each.'
  const pairs: [string, unknown][] = []
  for (const item of parsed as unknown[]) {
    const entries = typeof item === 'object' && item !== null && !Array.isArray(item) ? Object.entries(item) : []
    const [pair] = entries
    if (pair === undefined || entries.length > 1) return 'Each item of the array must be an object with one key.'
    pairs.push(pair)
  }
  return pairs
}
