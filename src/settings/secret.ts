import { z } from 'zod'
import { fail } from './fields.ts'

const SECRET_BITS = 128
/** 32 random hexadecimal digits have fewer than this with a probability of one in 10^12. */
const FEWEST_DIFFERENT_CHARACTERS = 6
const MAKE_A_SECRET = 'make one with: npm run -s viewer-auth -- secret generate'

/** The message for a missing secret. */
export const SECRET_MISSING = `is required: ${MAKE_A_SECRET}`

/** A secret of at least 128 random bits. An attacker can guess a weaker one from a single captured response. */
export const Secret = z.string().transform((text, context): string => {
  const fault = faultInSecret(text)
  return fault === null ? text : fail(context, fault)
})

function faultInSecret(secret: string): string | null {
  // The service would learn a private key, which may also sign viewer tokens.
  if (secret.includes('-----BEGIN ')) return `is a key in PEM form, not a secret: ${MAKE_A_SECRET}`
  if (/\p{Cc}/u.test(secret) || !secret.isWellFormed()) return 'contains a control character'
  if (secret !== secret.trim()) return 'starts or ends with a space: remove the space'
  // Node removes quotation marks in a .env file; `docker run --env-file` does not.
  if (/^(["'`]).*\1$/s.test(secret)) return 'is in quotation marks, which count as part of the secret: remove them'
  const alphabet = /^[0-9a-f]+$/i.test(secret) ? 16 : /^[0-9a-z]+$/i.test(secret) ? 62 : 94
  if (secret.length * Math.log2(alphabet) < SECRET_BITS) {
    return `is too short: it needs at least ${SECRET_BITS} random bits; ${MAKE_A_SECRET}`
  }
  if (isPredictable(secret)) {
    return `does not look random: it needs at least ${SECRET_BITS} random bits; ${MAKE_A_SECRET}`
  }
  return null
}

/** True for example words, few different characters, one repeated block, and characters that count up or down. */
function isPredictable(secret: string): boolean {
  const codes = [...secret].map((character) => character.codePointAt(0) ?? 0)
  const steps = codes.slice(1).filter((code, index) => Math.abs(code - (codes[index] ?? 0)) <= 1)
  return (
    /change.?me|example|password/i.test(secret) ||
    new Set(codes).size < FEWEST_DIFFERENT_CHARACTERS ||
    /^(.+?)\1+$/s.test(secret) ||
    steps.length > 0.75 * codes.length
  )
}
