import { hash } from 'node:crypto'

/** The hashed parameters in their order, which the service and the customer agree on. */
export type ResponseParameters = ReadonlyArray<readonly [name: string, value: string]>

const RESERVED_NAMES: readonly string[] = ['hash', 'hashExpire', '__proto__']
const LONGEST_VALUE_BYTES = 255
/** Fits Node's 16 KiB of headers, with every byte percent-encoded and an address of 2,048 characters. */
export const LONGEST_RESPONSE_BYTES = 4096

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

/** @throws RangeError */
export function assertSecret(secret: string): void {
  if (secret === '' || !secret.isWellFormed())
    throw new RangeError('The shared secret is empty or not well-formed text')
}

export function isExpiry(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
