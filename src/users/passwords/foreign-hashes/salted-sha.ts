import { createHash } from 'node:crypto'
import { derivation } from './derivation.ts'
import { formOf } from './hash-form.ts'

/** `{SSHA}` of directories, and its SHA-2 variants: base64 of the digest of password and salt, then the salt. */
const SALTED_SHA = /^\{(SSHA|SSHA256|SSHA512)\}([A-Za-z0-9+/]+={0,2})$/i
const SALTED_SHA_DIGESTS = new Map([
  ['SSHA', { name: 'sha1', bytes: 20 }],
  ['SSHA256', { name: 'sha256', bytes: 32 }],
  ['SSHA512', { name: 'sha512', bytes: 64 }],
])
const LONGEST_SALT_BYTES = 64

export const saltedShaForm = formOf(SALTED_SHA, (form, encoded) => {
  const digest = SALTED_SHA_DIGESTS.get(form.toUpperCase())
  if (!digest) return null
  const bytes = Buffer.from(encoded, 'base64')
  const salt = bytes.subarray(digest.bytes)
  if (bytes.toString('base64') !== encoded || salt.length < 1 || salt.length > LONGEST_SALT_BYTES) return null
  return derivation(bytes.subarray(0, digest.bytes), (password) =>
    createHash(digest.name).update(password).update(salt).digest(),
  )
})
