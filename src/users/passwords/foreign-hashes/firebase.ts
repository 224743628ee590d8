import { createCipheriv } from 'node:crypto'
import { unpaddedBase64 } from '../argon2.ts'
import { fromUnpaddedBase64 } from './derivation.ts'
import { formOf } from './hash-form.ts'
import { scryptReading } from './pbkdf2-scrypt.ts'

const AES_KEY_BYTES = 32
const NO_IV = Buffer.alloc(16)

/**
 * `$firebase-scrypt$ln=LOG2N,r=R$SALT$KEY`, the form of this app. Firebase encrypts its signer key with a key that
 * scrypt derives from the password. AES in counter mode adds a key stream, so the import can remove the signer key. The
 * key stream is left: it depends on the password and the salt only, and the app needs no secret of Firebase.
 */
const FIREBASE = /^\$firebase-scrypt\$ln=(\d{1,2}),r=(\d{1,4})\$([A-Za-z0-9+/]*)\$([A-Za-z0-9+/]{86})$/

export const firebaseForm = formOf(FIREBASE, (log2N, r, salt, keyStream) => {
  const cost = { N: 2 ** Number(log2N), r: Number(r), p: 1 }
  return scryptReading(cost, fromUnpaddedBase64(salt), fromUnpaddedBase64(keyStream), (key) =>
    createCipheriv('aes-256-ctr', key.subarray(0, AES_KEY_BYTES), NO_IV).update(Buffer.alloc(key.length)),
  )
})

/** "Password hash parameters" in the Firebase console. */
export interface FirebaseParameters {
  /** A secret. */
  readonly signerKey: Buffer
  readonly saltSeparator: Buffer
  readonly rounds: number
  readonly memoryCost: number
}

const SIGNER_KEY_BYTES = 64
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Reads the parameters as the Firebase console shows them, or as JSON.
 * @returns the fault as the end of a sentence that begins with the text. It repeats no value.
 */
export function readFirebaseParameters(text: string): FirebaseParameters | { readonly fault: string } {
  const textOf = (name: string) => new RegExp(`\\b${name}"?\\s*[:=]\\s*"?([^\\s",}]+)`).exec(text)?.[1] ?? ''
  const signerKey = fromAnyBase64(textOf('base64_signer_key'))
  const saltSeparator = fromAnyBase64(textOf('base64_salt_separator'))
  const rounds = Number(textOf('rounds'))
  const memoryCost = Number(textOf('mem_cost'))
  if (signerKey?.length !== SIGNER_KEY_BYTES) return { fault: 'has no base64_signer_key of 64 bytes' }
  if (!saltSeparator?.length) return { fault: 'has no base64_salt_separator' }
  if (!Number.isInteger(rounds) || rounds < 1) return { fault: 'has no whole number for rounds' }
  if (!Number.isInteger(memoryCost) || memoryCost < 1) return { fault: 'has no whole number for mem_cost' }
  return { signerKey, saltSeparator, rounds, memoryCost }
}

/**
 * Returns a hash of Firebase in the form above; null for another text.
 * @param hash `passwordHash` of an export, in base64 with or without URL-safe letters.
 * @param salt `salt` of the same user.
 */
export function firebaseHash(
  { signerKey, saltSeparator, rounds, memoryCost }: FirebaseParameters,
  hash: string,
  salt: string,
): string | null {
  const encrypted = fromAnyBase64(hash)
  const saltBytes = fromAnyBase64(salt)
  if (saltBytes === null || encrypted?.length !== signerKey.length) return null
  const keyStream = encrypted.map((byte, index) => byte ^ (signerKey[index] ?? 0))
  const parts = [Buffer.concat([saltBytes, saltSeparator]), Buffer.from(keyStream)].map(unpaddedBase64)
  return `$firebase-scrypt$ln=${memoryCost},r=${rounds}$${parts.join('$')}`
}

function fromAnyBase64(text: string): Buffer | null {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null
}
