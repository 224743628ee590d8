import type { KeyObject } from 'node:crypto'

const LEAST_BITS = 2048
/** A longer key would take more than 100 ms for each token. */
const MOST_BITS = 8192

/** Returns why a key cannot be used, as the end of a sentence that starts with the key; null if it can. */
export function faultInRsaKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | null {
  if (asymmetricKeyType !== 'rsa') return `is not an RSA key, but ${asymmetricKeyType}: use RSA of ${LEAST_BITS} bits`
  const bits = asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < LEAST_BITS) return `is an RSA key of ${bits} bits: it needs at least ${LEAST_BITS}`
  if (bits > MOST_BITS) return `is an RSA key of ${bits} bits: use at most ${MOST_BITS}`
  return null
}
