import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { orUndefined } from '../../../errors.ts'
import { faultInRsaKey } from './rsa-key.ts'

/** A PEM file with a private key has some kilobytes. */
const LONGEST_PEM = 20_000

type Half = 'private' | 'public'

/**
 * Parses the private key of a channel or video, in PEM form: PKCS#8, or PKCS#1 as `ssh-keygen -m PEM` writes it.
 * Accepts `\n` in place of line ends, because some environment files hold one line only, and blanks, as in a sample of the
 * service. No message repeats a part of the text.
 * @throws RangeError with the end of a sentence that starts with the key's name.
 */
export function parseContentKey(pem: string): KeyObject {
  return parseKey(pem, 'private')
}

/** Parses the public half, as the service gets it (`public_key`). Refuses a private key. @throws as parseContentKey() */
export function parseContentPublicKey(pem: string): KeyObject {
  return parseKey(pem, 'public')
}

/** Returns the public half of the key of a channel or video in PEM form (SubjectPublicKeyInfo), for the service. */
export function publicKeyPem(contentKey: KeyObject): string {
  return publicHalf(contentKey).export({ type: 'spki', format: 'pem' }).toString()
}

/** Returns the SHA-256 of the public half in DER form (SubjectPublicKeyInfo), in hexadecimal. Identifies a key in messages. */
export function keyFingerprint(contentKey: KeyObject): string {
  const der = publicHalf(contentKey).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex')
}

/** Returns the public half of a private key, and a public key unchanged. */
export function publicHalf(key: KeyObject): KeyObject {
  return key.type === 'public' ? key : createPublicKey(key)
}

function parseKey(pem: string, half: Half): KeyObject {
  const inLines = (_all: string, begin: string, body: string) => `${begin}\n${body.trim().replace(/\s+/g, '\n')}\n`
  const text = pem
    .replaceAll(/(\\r)?\\n/g, '\n')
    .replace(/(-----BEGIN [A-Z ]+-----)(\s[\w+/=\s]+)(?=-----END)/, inLines)
  const labels = [...text.slice(0, LONGEST_PEM).matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(
    ([, label = '']) => label,
  )
  const fault = text.length > LONGEST_PEM ? notAKey(half) : faultInBlocks(labels, text, half)
  if (fault !== null) throw new RangeError(fault)
  const key = orUndefined(() => (half === 'private' ? createPrivateKey(text) : createPublicKey(text)))
  if (key === undefined) throw new RangeError(`is not a readable ${half} key in PEM form`)
  const faultInKey = faultInRsaKey(key)
  if (faultInKey !== null) throw new RangeError(faultInKey)
  return key
}

function notAKey(half: Half): string {
  return `is not a ${half} key in PEM form, which starts with -----BEGIN`
}

/** Returns the fault that the labels of the PEM blocks show; null without one. */
function faultInBlocks(labels: readonly string[], text: string, half: Half): string | null {
  const keys = labels.filter((label) => label.endsWith(' KEY'))
  const [label = ''] = keys
  if (labels.includes('CERTIFICATE')) return `contains a certificate: use a file with the ${half} key only`
  if (label === '') return notAKey(half)
  // Node removes quotation marks in a .env file; `docker run --env-file` does not.
  if (/^\s*["'`]/.test(text)) return 'is in quotation marks: remove them'
  if (!/[\r\n]/.test(text.trim())) return 'is in one line: keep its line ends, or write \\n in their place'
  if (keys.length > 1) return `contains more than one key: keep only the ${half} key`
  if (half === 'private' && label.endsWith('PUBLIC KEY'))
    return 'is the public half of the key pair: use the private key'
  if (half === 'public' && label.endsWith('PRIVATE KEY')) {
    return 'is the private key, which must stay secret: use the public half'
  }
  if (label === 'ENCRYPTED PRIVATE KEY' || text.includes('Proc-Type: 4,ENCRYPTED')) {
    return 'is encrypted with a passphrase: decrypt it with openssl pkey -in FILE -out NEW_FILE'
  }
  if (label === 'OPENSSH PRIVATE KEY') {
    return 'is in the format of OpenSSH: convert it with ssh-keygen -p -m PEM -f FILE'
  }
  return null
}
