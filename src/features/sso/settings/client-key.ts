import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { orUndefined } from '../../../errors.ts'
import { fail } from '../../../settings/fields.ts'
import { readNamedFile } from '../../../settings/named-file.ts'

/** The JWS algorithms of `private_key_jwt`, with the WebCrypto algorithm of each. */
export const KEY_ALGORITHMS = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  Ed25519: { name: 'Ed25519' },
}
export type KeyAlgorithm = keyof typeof KEY_ALGORITHMS
const NAMES = Object.keys(KEY_ALGORITHMS) as KeyAlgorithm[]
export const KeyAlgorithmName = z.enum(NAMES, `must be one of ${NAMES.join(', ')}`)

const LEAST_RSA_BITS = 2048
const KINDS = 'Use RSA of at least 2048 bits, P-256, or Ed25519'

/**
 * A PEM file with the private key of this app, for `private_key_jwt`. It may also contain the certificate, whose
 * thumbprint Entra ID wants to see.
 */
export const ClientKeyFile = z.string('must be the path of a file').transform((path, context) => {
  const read = readNamedFile(path)
  if ('fault' in read) return fail(context, read.fault)
  const privateKey = orUndefined(() => createPrivateKey(read.text))
  if (privateKey === undefined) return fail(context, 'names a file without a readable private key in PEM form')
  if (algorithmsOf(privateKey).length === 0) return fail(context, `names a key of another kind. ${KINDS}`)
  const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(read.text)?.[0]
  const certificate = block === undefined ? null : orUndefined(() => new X509Certificate(block))
  if (certificate === undefined) return fail(context, 'names a file with a damaged certificate')
  if (certificate?.checkPrivateKey(privateKey) === false) return fail(context, 'names a key of another certificate')
  return { kind: 'key' as const, privateKey, certificate: certificate?.raw ?? null }
})

/** Returns the algorithms that fit a key, the default first. Empty for a key that no provider accepts. */
export function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly KeyAlgorithm[] {
  if (asymmetricKeyType === 'ed25519') return ['Ed25519']
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return ['ES256']
  const isRsa = asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS
  return isRsa ? ['RS256', 'PS256'] : []
}
