import { createHmac, hash, hkdfSync, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { cleanText, onlyMatch } from '../../typed-text.ts'

/** 30 characters: without 0, O, 1, I, L and U, which look like others or make words. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_CHARACTERS = 8
export const TRIES = 5
export const CODE_SECONDS = 600

/** Returns a new code, without the hyphen. */
export function newCode(): string {
  return Array.from({ length: CODE_CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}

/** Returns the code as viewers see it: XXXX-XXXX. */
export function shownCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** A pasted text may be a sentence of the mail, and not the whole mail. */
const LONGEST_PASTE = 400
const LETTER = `[${ALPHABET}]`
const PASTED = [
  `${LETTER}{4} ?\\p{Dash} ?${LETTER}{4}`,
  // Without a hyphen, a word in capital letters could be meant, and a word in small letters looks like a code too.
  `(?=[A-Z]*\\d)${LETTER}{8}`,
  `${LETTER}{8}|${LETTER}{4} ${LETTER}{4}`,
].map((form) => new RegExp(`(?<![\\p{L}\\p{N}]\\p{Dash}?)(?=(${form})(?!\\p{Dash}?[\\p{L}\\p{N}]))`, 'gu'))

/**
 * Returns the code that the viewer means: in any case, with spaces, hyphens or hidden characters, in wide letters, or the only
 * one of a pasted sentence. Null for a text without a code: it does not count as a guess.
 */
export function readCode(typed: unknown): string | null {
  if (typeof typed !== 'string' || typed.length > LONGEST_PASTE) return null
  const text = cleanText(typed).normalize('NFKC').toUpperCase()
  const code = text.replace(/[\s\p{Dash}]/gu, '')
  const isWhole = code.length === CODE_CHARACTERS && /^[0-9A-Z]+$/.test(code)
  return isWhole ? code : (onlyMatch(text, PASTED) ?? null)
}

/** The texts of codes that do not work. */
export const WRONG_CODE = {
  wrong: 'mail-code.wrongCode',
  over: 'mail-code.codeOver',
  elsewhere: 'mail-code.codeElsewhere',
} as const

/** The form of a frame's secret: 32 bytes in base64url. */
export const SECRET = /^[\w-]{43}$/
export const newSecret = () => randomBytes(32).toString('base64url')

/** The frame and the address of a code, which counts only with both. */
export interface CodeBinding {
  /** The secret of the frame in which the viewer asked. */
  readonly secret: string
  /** A canonical mail address. */
  readonly address: string
}

/**
 * Creates the digests of codes: HMAC-SHA-256, with a key from each secret. Without the key, a copy of the store tells no
 * code, although there are few enough codes to try all.
 * @param secrets the first makes digests; codes are compared with all.
 * @param scope the feature and the entry point.
 */
export function createDigests(secrets: readonly string[], scope: string) {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'viewer-auth mail code 1', 32)))
  const digestWith = (key: Buffer, { secret, address }: CodeBinding, code: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([scope, secret, address, code]))
      .digest()
  return {
    digestOf(binding: CodeBinding, code: string): string {
      const [key] = keys
      if (key === undefined) throw new Error('A digest needs a secret')
      return digestWith(key, binding, code).toString('base64url')
    },
    isDigestOf(digest: string, binding: CodeBinding, code: string): boolean {
      const stored = Buffer.from(digest, 'base64url')
      return keys
        .map((key) => digestWith(key, binding, code))
        .map((own) => own.length === stored.length && timingSafeEqual(own, stored))
        .includes(true)
    },
    /** Returns the key of the record. It does not tell the secret of the frame. */
    keyOf: (secret: string) => hash('sha256', JSON.stringify([scope, secret]), 'base64url'),
  }
}
