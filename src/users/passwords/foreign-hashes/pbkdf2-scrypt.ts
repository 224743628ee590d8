import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { derivation, fromPaddedBase64, fromUnpaddedBase64, TOO_COSTLY } from './derivation.ts'
import { type FormReading, formOf, type HashForm } from './hash-form.ts'

const deriveByPbkdf2 = promisify(pbkdf2)
const deriveByScrypt = promisify<string, Buffer, number, object, Buffer>(scrypt)

const SHORTEST_KEY_BYTES = 16
const LONGEST_KEY_BYTES = 128
/** A million iterations of SHA-256 take about a third of a second. Django 6 uses 1.2 million. */
const MOST_ITERATIONS = 2_500_000
/** N times r times p. A block has 128 bytes. */
const MOST_SCRYPT_BLOCKS = 2_097_152

const DIGEST_BYTES = new Map([
  ['sha1', 20],
  ['sha256', 32],
  ['sha512', 64],
])

/**
 * `$pbkdf2-sha256$ITERATIONS$SALT$KEY` of passlib (SHA-1 without a name), and the PHC form with
 * `i=ITERATIONS,l=LENGTH`.
 */
const PBKDF2_PHC =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,10})(?:,l=(\d{1,3}))?\$([A-Za-z0-9+/.]*)\$([A-Za-z0-9+/.]+)$/
/** `pbkdf2_sha256$ITERATIONS$SALT$KEY` of Django. The salt is plain text. */
const PBKDF2_DJANGO = /^pbkdf2_(sha1|sha256)\$(\d{1,10})\$([^$]+)\$([A-Za-z0-9+/]+={0,2})$/

export const pbkdf2PhcForm = formOf(PBKDF2_PHC, (digest, iterations, length, salt, key) => {
  const expected = fromUnpaddedBase64(key)
  if (length !== '' && Number(length) !== expected?.length) return null
  return pbkdf2Reading(digest || 'sha1', Number(iterations), fromUnpaddedBase64(salt), expected)
})

export const pbkdf2DjangoForm = formOf(PBKDF2_DJANGO, (digest, iterations, salt, key) =>
  pbkdf2Reading(digest, Number(iterations), Buffer.from(salt), fromPaddedBase64(key)),
)

/** `pbkdf2:sha256:ITERATIONS$SALT$KEY` of Werkzeug, with a key in hexadecimal digits. The salt is plain text. */
const PBKDF2_WERKZEUG = /^pbkdf2:(sha1|sha256|sha512):(\d{1,10})\$([^$]+)\$((?:[\da-f]{2})+)$/

export const pbkdf2WerkzeugForm = formOf(PBKDF2_WERKZEUG, (digest, iterations, salt, key) =>
  pbkdf2Reading(digest, Number(iterations), Buffer.from(salt), Buffer.from(key, 'hex')),
)

/** `$scrypt$ln=LOG2N,r=R,p=P$SALT$KEY`, the PHC form. */
const SCRYPT_PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})\$([A-Za-z0-9+/]*)\$([A-Za-z0-9+/]+)$/
/** `scrypt$N$SALT$R$P$KEY` of Django. The salt is plain text. */
const SCRYPT_DJANGO = /^scrypt\$(\d{1,10})\$([^$]+)\$(\d{1,4})\$(\d{1,4})\$([A-Za-z0-9+/]+={0,2})$/

export const scryptPhcForm = formOf(SCRYPT_PHC, (log2N, r, p, salt, key) => {
  const cost = { N: 2 ** Number(log2N), r: Number(r), p: Number(p) }
  return scryptReading(cost, fromUnpaddedBase64(salt), fromUnpaddedBase64(key))
})

export const scryptDjangoForm = formOf(SCRYPT_DJANGO, (N, salt, r, p, key) =>
  scryptReading({ N: Number(N), r: Number(r), p: Number(p) }, Buffer.from(salt), fromPaddedBase64(key)),
)

/** `scrypt:N:R:P$SALT$KEY` of Werkzeug. */
const SCRYPT_WERKZEUG = /^scrypt:(\d{1,10}):(\d{1,4}):(\d{1,4})\$([^$]+)\$((?:[\da-f]{2})+)$/

export const scryptWerkzeugForm = formOf(SCRYPT_WERKZEUG, (N, r, p, salt, key) =>
  scryptReading({ N: Number(N), r: Number(r), p: Number(p) }, Buffer.from(salt), Buffer.from(key, 'hex')),
)

/** Version 2 of ASP.NET Identity has fixed parameters. */
const ASPNET_2 = { digest: 'sha1', iterations: 1000, saltBytes: 16, bytes: 49 }
const ASPNET_3_DIGESTS = ['sha1', 'sha256', 'sha512']
const ASPNET_3_HEADER_BYTES = 13

/**
 * The base64 of ASP.NET Identity. Version 2: a zero, salt, key. Version 3: a one, three numbers of 32 bits, salt, key.
 * The numbers are the digest, the iterations and the length of the salt.
 */
export const aspNetIdentityForm: HashForm = (text) => {
  if (!/^A[A-Za-z\d+/]{50,}={0,2}$/.test(text)) return null
  const bytes = fromPaddedBase64(text)
  if (bytes?.[0] === 0 && bytes.length === ASPNET_2.bytes) {
    const keyFrom = 1 + ASPNET_2.saltBytes
    return pbkdf2Reading(ASPNET_2.digest, ASPNET_2.iterations, bytes.subarray(1, keyFrom), bytes.subarray(keyFrom))
  }
  if (bytes?.[0] !== 1) return null
  const keyFrom = ASPNET_3_HEADER_BYTES + bytes.readUInt32BE(9)
  const salt = bytes.subarray(ASPNET_3_HEADER_BYTES, keyFrom)
  return pbkdf2Reading(
    ASPNET_3_DIGESTS[bytes.readUInt32BE(1)] ?? '',
    bytes.readUInt32BE(5),
    salt,
    bytes.subarray(keyFrom),
  )
}

function pbkdf2Reading(
  digest: string,
  iterations: number,
  salt: Buffer | null,
  expected: Buffer | null,
): FormReading | null {
  const digestBytes = DIGEST_BYTES.get(digest)
  if (!digestBytes || !salt || !isKey(expected) || iterations < 1) return null
  // A key longer than one digest needs all iterations again for each further digest.
  if (iterations * Math.ceil(expected.length / digestBytes) > MOST_ITERATIONS) return TOO_COSTLY
  return derivation(expected, (password) => deriveByPbkdf2(password, salt, iterations, expected.length, digest))
}

/** @param finish turns the derived key, which is as long as the expected one, into the one that is compared. */
export function scryptReading(
  { N, r, p }: { N: number; r: number; p: number },
  salt: Buffer | null,
  expected: Buffer | null,
  finish: (key: Buffer) => Buffer = (key) => key,
): FormReading | null {
  const isPowerOfTwo = N >= 2 && Number.isInteger(Math.log2(N))
  if (!isPowerOfTwo || r < 1 || p < 1 || !salt || !isKey(expected)) return null
  if (N * r * p > MOST_SCRYPT_BLOCKS) return TOO_COSTLY
  // Twice the needed memory: Node refuses parameters close to the limit.
  const maxmem = 256 * r * (N + p) + 1_048_576
  return derivation(expected, async (password) =>
    finish(await deriveByScrypt(password, salt, expected.length, { N, r, p, maxmem })),
  )
}

function isKey(expected: Buffer | null): expected is Buffer {
  return expected !== null && expected.length >= SHORTEST_KEY_BYTES && expected.length <= LONGEST_KEY_BYTES
}
