import { timingSafeEqual } from 'node:crypto'
import { unpaddedBase64 } from '../argon2.ts'
import type { FormReading, UsableForm } from './hash-form.ts'

/**
 * The refusal of a hash that needs more than about a second of one core, or 256 MiB. The parameters of an imported hash
 * are in the file, so an attacker could choose them.
 */
export const TOO_COSTLY: FormReading = { ok: false, fault: 'needs more memory or time than one sign-in may use' }

/** Derives a key from the password and compares it in constant time. */
export function derivation(expected: Buffer, derive: (password: string) => Buffer | Promise<Buffer>): UsableForm {
  return {
    ok: true,
    verify: async (password) => {
      const derived = await derive(password)
      return derived.length === expected.length && timingSafeEqual(derived, expected)
    },
  }
}

/** Returns null for a text that no encoder writes. passlib writes "." for "+". */
export function fromUnpaddedBase64(text: string): Buffer | null {
  const standard = text.replaceAll('.', '+')
  const bytes = Buffer.from(standard, 'base64')
  return unpaddedBase64(bytes) === standard ? bytes : null
}

/** Returns null for a text that no encoder writes. */
export function fromPaddedBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}
