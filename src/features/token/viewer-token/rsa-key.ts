import { constants, createPublicKey, type KeyObject, publicEncrypt, sign, verify } from 'node:crypto'
import { orUndefined } from '../../../errors.ts'

const LEAST_BITS = 2048
/** Such a key already takes about 30 ms for each token. */
const MOST_BITS = 8192
/** A longer exponent would make each use of the key slow. Nearly all keys have 65537. */
const LARGEST_EXPONENT = 2n ** 32n - 1n

/**
 * Returns why a key cannot be used, as the end of a sentence that starts with the key. Null for a usable key. Uses the
 * key once, because Node also reads keys whose numbers do not fit together.
 */
export function faultInRsaKey(key: KeyObject): string | null {
  const { asymmetricKeyType, asymmetricKeyDetails } = key
  if (asymmetricKeyType !== 'rsa') return `is not an RSA key, but ${asymmetricKeyType}: use RSA of ${LEAST_BITS} bits`
  const { modulusLength: bits = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {}
  if (bits < LEAST_BITS) return `is an RSA key of ${bits} bits: it needs at least ${LEAST_BITS}`
  if (bits > MOST_BITS) return `is an RSA key of ${bits} bits: use at most ${MOST_BITS}`
  if (publicExponent < 3n || publicExponent % 2n === 0n || publicExponent > LARGEST_EXPONENT) {
    return 'has a public exponent that is not an odd number from 3 to 4294967295: generate another key'
  }
  const isUsable = key.type === 'private' ? canSign(key) : canEncrypt(key)
  return isUsable ? null : 'is damaged: its numbers do not fit together'
}

function canSign(privateKey: KeyObject): boolean {
  const text = Buffer.from('trial')
  const trial = () => verify('sha512', text, createPublicKey(privateKey), sign('sha512', text, privateKey))
  return orUndefined(trial) ?? false
}

/** Tries the longest text that a token needs, a key for A256CBC-HS512. */
function canEncrypt(publicKey: KeyObject): boolean {
  const key = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }
  return orUndefined(() => publicEncrypt(key, Buffer.alloc(64))) !== undefined
}
