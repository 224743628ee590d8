import { timingSafeEqual } from 'node:crypto'

/** A hash whose form is known: a way to verify it, or why it cannot be verified. */
export type HashReading =
  | {
      readonly ok: true
      readonly verify: (password: string) => Promise<boolean>
      /** False if the hash reads only the beginning of this password. Absent for a form that reads every byte. */
      readonly readsWhole?: (password: string) => boolean
    }
  /** The end of a sentence that begins with the hash. */
  | { readonly ok: false; readonly fault: string }

/** Reads a hash of one form. Returns null for a text of another form. */
export type HashForm = (text: string) => HashReading | null

/**
 * The refusal of a hash that needs more than about a second of one core, or 256 MiB. The parameters of an imported hash
 * are in the file, so an attacker could choose them.
 */
export const TOO_COSTLY: HashReading = { ok: false, fault: 'needs more memory or time than one sign-in may use' }

/** Derives a key from the password and compares it in constant time. */
export function derivation(expected: Buffer, derive: (password: string) => Buffer | Promise<Buffer>): HashReading {
  return {
    ok: true,
    verify: async (password) => {
      const derived = await derive(password)
      return derived.length === expected.length && timingSafeEqual(derived, expected)
    },
  }
}
