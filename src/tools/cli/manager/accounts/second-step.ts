import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { cleanText } from '../../../../typed-text.ts'

const SECRET_BYTES = 20
const PERIOD_SECONDS = 30
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** A code is also valid in this number of periods before and after its own, because clocks may be wrong. */
const WINDOW = 1

/** Returns a new secret for an authenticator app, in Base32. */
export function newStepSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/** Returns the address that an authenticator app reads from a QR code. */
export function stepAddress(secret: string, issuer: string, name: string): string {
  return totpOf(secret, issuer, name).toString()
}

/**
 * Returns the number of the period whose code was typed; null for a wrong code, and for a code that was used before.
 * @param lastPeriod the period of the last accepted code; -1 for none.
 */
export function acceptedPeriod(secret: string, code: string, nowSeconds: number, lastPeriod: number): number | null {
  const token = cleanText(code).replace(/[\s-]/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const delta = totpOf(secret).validate({ token, timestamp: nowSeconds * 1000, window: WINDOW })
  if (delta === null) return null
  const period = Math.floor(nowSeconds / PERIOD_SECONDS) + delta
  return period > lastPeriod ? period : null
}

function totpOf(secret: string, issuer = '', label = ''): TOTP {
  return new TOTP({ secret: Secret.fromBase32(secret), issuer, label, digits: 6, period: PERIOD_SECONDS })
}

/** Encrypts secrets of second steps, so that a copy of the file alone is not enough to sign in. */
export function createSeal(keySecret: string) {
  const key = Buffer.from(hkdfSync('sha256', keySecret, '', 'manager second step', 32))
  return {
    /** @param name of the manager. A sealed secret is of no use for another manager. */
    seal(text: string, name: string): Buffer {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    /** Null if the secret was sealed with another key, or for another manager. */
    open(sealed: Uint8Array, name: string): string | null {
      const bytes = Buffer.from(sealed)
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
        decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString()
      } catch {
        return null
      }
    },
  }
}
