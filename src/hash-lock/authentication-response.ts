import { hash, timingSafeEqual } from 'node:crypto'

/** The hashed parameters in their order, which the service and the customer agree on. */
export type ResponseParameters = ReadonlyArray<readonly [name: string, value: string]>

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

const RESERVED_NAMES: readonly string[] = ['hash', 'hashExpire', '__proto__']
const LONGEST_VALUE_BYTES = 255
/** Fits Node's 16 KiB of headers, with every byte percent-encoded and an address of 2,048 characters. */
const LONGEST_RESPONSE_BYTES = 4096
/** PHP writes characters beyond ASCII as \uXXXX: six bytes instead of two. */
const LONGEST_ESCAPED_BYTES = 3 * LONGEST_RESPONSE_BYTES

/**
 * Checks a hashed value. Refuses "|", which separates hashed values: ["a|b"] and ["a", "b"] would have the same hash.
 * Refuses a lone surrogate, which has the same bytes in UTF-8 as U+FFFD.
 * @returns the fault as the end of a sentence that starts with the value's name; null if the value is valid.
 */
export function faultInValue(value: string): string | null {
  if (value === '') return 'is empty'
  if (value.includes('|')) return 'contains "|", which separates the hashed values'
  if (/\p{Cc}/u.test(value)) return 'contains a control character'
  if (!value.isWellFormed()) return 'contains half of a character (a lone surrogate)'
  if (Buffer.byteLength(value) > LONGEST_VALUE_BYTES) return `is longer than ${LONGEST_VALUE_BYTES} bytes in UTF-8`
  return null
}

/** Checks the name of a hashed parameter, like faultInValue(). */
export function faultInName(name: string): string | null {
  if (RESERVED_NAMES.includes(name)) return 'is reserved'
  return faultInValue(name)
}

/**
 * Builds the authentication response: a JSON array with one object per parameter, then `hashExpire` if there is an
 * expiry, then `hash` (specification: "Authentication response", "Hash expiry").
 *
 * @param expiresAtSeconds UNIX time in whole seconds; null sends no expiry, and the response never expires.
 * @param secret the key shared with the service. The service computes MD5. A secret of 128 random bits at the end of
 *   the text prevents a brute-force search and a length extension.
 * @throws RangeError for parameters, an expiry or a secret that would make the format ambiguous.
 */
export function buildAuthenticationResponse(
  parameters: ResponseParameters,
  expiresAtSeconds: number | null,
  secret: string,
): string {
  const fault = faultInParameters(parameters)
  if (fault !== null) throw new RangeError(fault)
  if (expiresAtSeconds !== null && !isExpiry(expiresAtSeconds)) {
    throw new RangeError('hashExpire must be a positive whole number of seconds')
  }
  assertSecret(secret)
  const entries: Record<string, string | number>[] = parameters.map(([name, value]) => ({ [name]: value }))
  if (expiresAtSeconds !== null) entries.push({ hashExpire: expiresAtSeconds })
  entries.push({ hash: responseHash(parameters, expiresAtSeconds, secret) })
  const json = JSON.stringify(entries)
  if (Buffer.byteLength(json) > LONGEST_RESPONSE_BYTES) {
    throw new RangeError(
      `The response is longer than ${LONGEST_RESPONSE_BYTES} bytes: send fewer or shorter parameters`,
    )
  }
  return json
}

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

/** Returns the MD5 digest of values, expiry and secret, joined by "|" in UTF-8, as lower-case hexadecimal digits. */
export function responseHash(parameters: ResponseParameters, expiresAtSeconds: number | null, secret: string): string {
  const values = parameters.map(([, value]) => value)
  if (expiresAtSeconds !== null) values.push(String(expiresAtSeconds))
  return hash('md5', [...values, secret].join('|'), 'hex')
}

/** Returns why a response cannot contain the parameters, as a sentence without values; null if it can. */
export function faultInParameters(parameters: ResponseParameters): string | null {
  if (parameters.length === 0) return 'A response needs at least one parameter'
  const seen = new Set<string>()
  for (const [name, value] of parameters) {
    const inName = faultInName(name)
    if (inName !== null) return `The parameter name ${JSON.stringify(name)} ${inName}`
    if (seen.has(name)) return `The parameter ${JSON.stringify(name)} is named twice`
    seen.add(name)
    const inValue = faultInValue(value)
    if (inValue !== null) return `The value of the parameter ${JSON.stringify(name)} ${inValue}`
  }
  return null
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

function assertSecret(secret: string): void {
  if (secret === '' || !secret.isWellFormed())
    throw new RangeError('The shared secret is empty or not well-formed text')
}

function isExpiry(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
