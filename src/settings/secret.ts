import { z } from 'zod'
import { fail } from './fields.ts'

const SECRET_BITS = 128
/** From a character to the next. 32 random hexadecimal digits have fewer with a probability of one in 10^11. */
const FEWEST_DIFFERENT_STEPS = 6
/** Placeholders, and one block again and again. */
const NOT_RANDOM = /change.?me|example|password|^(.+)\1+$/is
const MAKE_A_SECRET = 'make one with: npm run -s viewer-auth -- secret generate'

/** The message for a missing secret. */
export const SECRET_MISSING = `is required: ${MAKE_A_SECRET}`

/** A secret of at least 128 random bits. An attacker can guess a weaker one from a single captured response. */
export const Secret = z.string().transform((text, context): string => {
  const fault = faultInSecret(text)
  return fault === null ? text : fail(context, fault)
})

function faultInSecret(secret: string): string | null {
  // The service gets the secret, and must not get a private key.
  if (secret.includes('-----BEGIN ')) return `is a key in PEM form, not a secret: ${MAKE_A_SECRET}`
  if (/\p{Cc}/u.test(secret) || !secret.isWellFormed()) return 'contains a control character'
  if (secret !== secret.trim()) return 'starts or ends with a space: remove the space'
  // Node removes quotation marks in a .env file; `docker run --env-file` does not.
  if (/^(["'`]).*\1$/s.test(secret)) return 'is in quotation marks, which count as part of the secret: remove them'
  const alphabet = /^[0-9a-f]+$/i.test(secret) ? 16 : /^[0-9a-z]+$/i.test(secret) ? 62 : 94
  if (secret.length * Math.log2(alphabet) < SECRET_BITS) {
    return `is too short: it needs at least ${SECRET_BITS} random bits; ${MAKE_A_SECRET}`
  }
  const steps = new Set(Array.from(secret.slice(1), (next, before) => next.charCodeAt(0) - secret.charCodeAt(before)))
  if (NOT_RANDOM.test(secret) || steps.size < FEWEST_DIFFERENT_STEPS) {
    return `does not look random: it needs at least ${SECRET_BITS} random bits; ${MAKE_A_SECRET}`
  }
  return null
}
