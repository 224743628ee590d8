import { argon2Passwords, type PasswordHashing } from '../argon2.ts'
import { foreignForms } from './foreign-forms.ts'
import type { FormReading, HashForm } from './hash-form.ts'

const LONGEST_HASH = 1024
/** Before a hash: `{CRYPT}` or `{ARGON2}` of directories, `{bcrypt}` of Spring, `argon2` of Django. */
const PREFIX = /^(\{(CRYPT|bcrypt)\})?((argon2|\{ARGON2\})(?=\$argon2))?/i

const FORMS: readonly HashForm[] = [argon2Form, ...foreignForms]

/**
 * Hashes of this app and of other systems; README.md lists them. `needsRehash` is true for all but argon2id with the
 * current costs, if the hash reads the whole password.
 */
export const knownPasswords = { ...passwordsOf(readHash), withoutWeakHashes }

/** Refuses hashes such as MD5-crypt. @param option as in `PasswordHashing`. */
export function withoutWeakHashes(option: string): PasswordHashing {
  return passwordsOf((text) => {
    const reading = readHash(text)
    if (!reading.ok || reading.weakness === undefined) return reading
    return { ok: false, fault: `${reading.weakness} (accepted only ${option})` }
  })
}

function passwordsOf(read: (text: string) => FormReading): PasswordHashing {
  return {
    ...argon2Passwords,
    read(passwordHash) {
      const reading = read(passwordHash)
      if (!reading.ok) return reading
      return {
        ok: true,
        verify: async (password) => (await reading.verify(password)) && isComparedExactly(password),
        needsRehash: (password) => !reading.isCurrent && (reading.readsWhole?.(password) ?? true),
      }
    },
  }
}

/**
 * False for passwords that a hash cannot tell from others. In UTF-8 every lone surrogate becomes U+FFFD. HMAC pads the
 * password with NUL, and so do PBKDF2 and scrypt. bcrypt repeats it with a NUL in between.
 */
function isComparedExactly(password: string): boolean {
  return password.isWellFormed() && !password.includes('\0')
}

function readHash(storedText: string): FormReading {
  if (storedText.length > LONGEST_HASH) return { ok: false, fault: 'is too long' }
  const text = storedText.replace(PREFIX, '')
  for (const form of FORMS) {
    const reading = form(text)
    // This app writes no prefix, so the next sign-in replaces such a hash.
    if (reading) return reading.ok && text !== storedText ? { ...reading, isCurrent: false } : reading
  }
  return { ok: false, fault: 'is of no known form, or is not complete' }
}

/** argon2 in the PHC string form. */
function argon2Form(text: string): FormReading | null {
  if (!text.startsWith('$argon2')) return null
  const reading = argon2Passwords.read(text)
  if (!reading.ok) return reading
  // argon2 reads every byte, so any password serves here.
  return { ok: true, verify: reading.verify, isCurrent: !reading.needsRehash('') }
}
