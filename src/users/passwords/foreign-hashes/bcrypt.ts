import { createHash, createHmac } from 'node:crypto'
import { TOO_COSTLY } from './derivation.ts'
import { formOf } from './hash-form.ts'

const MOST_BYTES = 72
const LEAST_COST = 4
/** Each step doubles the time: 14 takes about a second. */
const MOST_COST = 14

/**
 * Salt and hash in bcrypt's own base64, whose last characters hold four and two bits that are always zero. The prefixes
 * of Django and WordPress come first.
 */
const BCRYPT =
  /^(bcrypt\$|bcrypt_sha256\$|\$wp)?(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26])$/

/** Prepares the password for bcrypt, by prefix. The digests are shorter than 72 bytes. */
const PREPARATIONS = new Map<string, (password: string) => string>([
  ['', (password) => password],
  ['bcrypt$', (password) => password],
  ['bcrypt_sha256$', (password) => createHash('sha256').update(password).digest('hex')],
  ['$wp', (password) => createHmac('sha384', 'wp-sha384').update(password).digest('base64')],
])

/**
 * bcrypt as `$2a$`, `$2b$`, `$2y$`, also as Django (`bcrypt$…`, `bcrypt_sha256$…`) and WordPress 6.8 (`$wp$…`) keep it.
 */
export const bcryptForm = formOf(BCRYPT, (prefix, hash, cost) => {
  const prepare = PREPARATIONS.get(prefix)
  if (!prepare || Number(cost) < LEAST_COST) return null
  if (Number(cost) > MOST_COST) return TOO_COSTLY
  return {
    ok: true,
    verify: async (password) => {
      const { verify } = await import('@node-rs/bcrypt')
      return await verify(prepare(password), hash)
    },
    // With 72 bytes typed, the password that was hashed may be longer.
    readsWhole: (password) => Buffer.byteLength(prepare(password)) < MOST_BYTES,
  }
})
