import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { orUndefined } from '../../../errors.ts'
import { jsonIn } from '../../../json-text.ts'
import { faultInRsaKey } from './rsa-key.ts'

/** A public key of the service. It encrypts tokens. */
export interface ServiceKey {
  readonly kid: string
  readonly publicKey: KeyObject
}

/** The keys that the service accepts, newest first. */
export type ServiceKeys = readonly [newest: ServiceKey, ...older: ServiceKey[]]

const LONGEST_KID = 255

/**
 * Parses the service's answer, a JWK set. Returns its RSA keys for encryption (`use: "enc"`) in their order; the service
 * documents no other way to find the newest. Ignores keys of other kinds, and keys without `kid`.
 * @throws RangeError with the end of a sentence that starts with the answer.
 */
export function parseServiceKeys(json: string): ServiceKeys {
  const jwks = jwksIn(json)
  if (jwks === null) throw new RangeError('is not a JWK set')
  const faults: string[] = []
  const usable = jwks.filter(isForEncryption).flatMap((jwk): ServiceKey[] => {
    const publicKey = readKey(jwk)
    const fault = publicKey === undefined ? 'is damaged' : faultInRsaKey(publicKey)
    if (publicKey !== undefined && fault === null) return [{ kid: jwk.kid, publicKey }]
    faults.push(`its key for encryption ${fault}`)
    return []
  })
  const [newest, ...older] = usable
  if (newest === undefined)
    throw new RangeError(`has no usable key: ${faults[0] ?? 'no RSA key has use "enc" and a kid'}`)
  return [newest, ...older]
}

function jwksIn(json: string): object[] | null {
  const set = jsonIn(json)
  if (typeof set !== 'object' || set === null || !('keys' in set) || !Array.isArray(set.keys)) return null
  return (set.keys as unknown[]).filter((jwk) => typeof jwk === 'object' && jwk !== null)
}

function isForEncryption(jwk: object): jwk is { readonly kid: string } {
  const { kty, use, kid } = jwk as Record<string, unknown>
  return kty === 'RSA' && use === 'enc' && typeof kid === 'string' && kid !== '' && kid.length <= LONGEST_KID
}

function readKey(jwk: object): KeyObject | undefined {
  const { kty, n, e } = jwk as JsonWebKey
  return orUndefined(() => createPublicKey({ key: { kty, n, e } as JsonWebKey, format: 'jwk' }))
}
