import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { fail } from '../../../settings/fields.ts'
import { readNamedFile } from '../../../settings/named-file.ts'
import type { ClientAuthentication } from './sso-settings.ts'

const LEAST_RSA_BITS = 2048
const KINDS = 'Use RSA of at least 2048 bits, P-256, or Ed25519'

/**
 * A PEM file with the private key of this app, for `private_key_jwt`. It may also contain the certificate, whose
 * thumbprint Entra ID wants to see.
 */
export const ClientKeyFile = z.string('must be the path of a file').transform((path, context) => {
  const read = readNamedFile(path)
  if ('fault' in read) return fail(context, read.fault)
  const privateKey = keyIn(read.text)
  if (privateKey === null) return fail(context, 'names a file without a readable private key in PEM form')
  if (algorithmOf(privateKey) === null) return fail(context, `names a key of another kind. ${KINDS}`)
  const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(read.text)?.[0]
  const certificate = block === undefined ? null : certificateOf(block)
  if (certificate === undefined) return fail(context, 'names a file with a damaged certificate')
  if (certificate?.checkPrivateKey(privateKey) === false) return fail(context, 'names a key of another certificate')
  return { kind: 'key', privateKey, certificate: certificate?.raw ?? null } satisfies ClientAuthentication
})

/** Returns the JWS algorithm and the WebCrypto algorithm of a key; null for a key that no provider accepts. */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  if (asymmetricKeyType === 'ed25519') return { name: 'Ed25519' }
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') {
    return { name: 'ECDSA', namedCurve: 'P-256' }
  }
  const isRsa = asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS
  return isRsa ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } : null
}

function keyIn(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

function certificateOf(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block)
  } catch {
    return undefined
  }
}
