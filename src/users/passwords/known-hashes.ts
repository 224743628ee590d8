import { argon2Passwords, needsRehash, type PasswordHashing } from './argon2.ts'
import { bcryptForm } from './forms/bcrypt.ts'
import type { HashForm, HashReading } from './forms/hash-form.ts'
import { pbkdf2DjangoForm, pbkdf2PhcForm, scryptDjangoForm, scryptPhcForm } from './forms/pbkdf2-scrypt.ts'
import { phpassForm, saltedShaForm } from './forms/salted-sha-phpass.ts'

const LONGEST_HASH = 1024
const NO_KNOWN_FORM: HashReading = { ok: false, fault: 'is of no known form' }

const FORMS: readonly HashForm[] = [
  argon2Form,
  bcryptForm,
  scryptPhcForm,
  scryptDjangoForm,
  pbkdf2PhcForm,
  pbkdf2DjangoForm,
  saltedShaForm,
  phpassForm,
]

/**
 * Hashes of this app and of other systems: argon2i, argon2d, argon2id, bcrypt, scrypt, PBKDF2, salted SHA of LDAP, and
 * phpass. `needsRehash` is true for all but argon2id with the current costs, if the hash reads the whole password.
 */
export const knownPasswords: PasswordHashing = {
  ...argon2Passwords,
  faultIn: (passwordHash) => {
    const reading = readHash(passwordHash)
    return reading.ok ? null : reading.fault
  },
  verify: async (passwordHash, password) => {
    const reading = readHash(passwordHash)
    return reading.ok && (await reading.verify(password)) && isComparedExactly(password)
  },
  needsRehash: (passwordHash, password) => {
    const reading = readHash(passwordHash)
    const isWhole = !reading.ok || !reading.readsWhole || reading.readsWhole(password)
    return isWhole && needsRehash(passwordHash)
  },
}

/**
 * False for passwords that a hash cannot tell from others. In UTF-8 every lone surrogate becomes U+FFFD. HMAC pads the
 * password with NUL, and so do PBKDF2 and scrypt. bcrypt repeats it with a NUL in between.
 */
function isComparedExactly(password: string): boolean {
  return password.isWellFormed() && !password.includes('\0')
}

function readHash(text: string): HashReading {
  if (text.length > LONGEST_HASH) return NO_KNOWN_FORM
  for (const form of FORMS) {
    const reading = form(text)
    if (reading) return reading
  }
  return NO_KNOWN_FORM
}

/** argon2 in the PHC string form, also with the prefix `argon2` of Django or `{ARGON2}` of OpenLDAP. */
function argon2Form(text: string): HashReading | null {
  const phc = text.replace(/^(argon2|\{ARGON2\})(?=\$argon2)/i, '')
  if (!phc.startsWith('$argon2')) return null
  const fault = argon2Passwords.faultIn(phc)
  return fault === null
    ? { ok: true, verify: (password) => argon2Passwords.verify(phc, password) }
    : { ok: false, fault }
}
