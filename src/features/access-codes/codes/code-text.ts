import { randomInt } from 'node:crypto'
import { cleanText, onlyMatch } from '../../../typed-text.ts'

/** No vowels, so that no code is a word. No two characters that look alike. */
const ALPHABET = '23456789CDFGHJKMNPQRTVWXY'
export const ALPHABET_SIZE = ALPHABET.length
export const FEWEST_CHARACTERS = 8
/** A pasted text may be a sentence of a mail. */
const LONGEST_PASTE = 400
/** A colon, two words in small letters, or one that names a code. */
const SENTENCE = /[:：]|\p{Ll}[\p{L}.,]*\s(?:.*\s)?\p{L}*\p{Ll}[\p{L}.,]*\s|\p{L}*(?:[Cc]od|[Kk]od|icket)\p{Ll}*\s/u
const PASTED = [
  [`(?:[A-Z0-9]+\\p{Pd})*(?:[${ALPHABET}]{3,4}\\p{Pd})+[${ALPHABET}]{3,4}`, 'giu'],
  ['(?:[A-Z0-9]+\\p{Pd})+[A-Z0-9]{3,4}', 'gu'],
  ['(?=[A-Z]*\\d)[A-Z0-9]{8,64}', 'giu'],
].map(([form, flags]) => new RegExp(`(?<![\\p{L}\\p{N}\\p{Pd}])${form}(?![\\p{L}\\p{N}\\p{Pd}])`, flags))

/** Maps a character to the one that it looks like: the printed words of a customer may have both. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1', Z: '2', S: '5', B: '8', U: 'V' }

/** Returns a random code without hyphens. @param length 8 at least. */
export function randomCode(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}

/** Returns a code as it is printed: in groups of three or four characters, after the words of the customer. */
export function shownCode(code: string, words: string | null = null): string {
  const groups = Math.ceil(code.length / 4)
  const ends = Array.from({ length: groups + 1 }, (_, index) => Math.round((code.length * index) / groups))
  const pieces = ends.slice(1).map((end, index) => code.slice(ends[index], end))
  return [...(words === null ? [] : [words]), ...pieces].join('-')
}

/**
 * Returns the canonical code for any spelling: any case, with blanks, hyphens and hidden characters, with characters that
 * look alike, with the wide letters of Japanese keyboards, and in a pasted sentence. Null for a text that cannot be a code.
 */
export function canonicalCode(typed: string): string | null {
  if (typed.length > LONGEST_PASTE) return null
  const given = cleanText(typed).normalize('NFKC')
  const found = SENTENCE.test(given) ? onlyMatch(given, PASTED) : undefined
  if (found === null) return null
  const text = found ?? given.replace(/^.*:/s, '')
  const code = text
    .toUpperCase()
    .replace(/^["'“”„(<*]+|["'“”)>*.,;!]+$/g, '')
    .replace(/[\s\p{Pd}_.]/gu, '')
    .replace(/[OILZSBU]/g, (character) => LOOK_ALIKES[character] ?? character)
  return /^[0-9A-Z]{4,64}$/.test(code) ? code : null
}

/** Returns words as a code begins with them: in capitals, with hyphens between them. See faultInWords(). */
export function canonicalWords(typed: string): string {
  return cleanText(typed)
    .toUpperCase()
    .replace(/[\s-]+/g, '-')
    .replace(/-$/, '')
}

/** Returns why words cannot begin a code, as the end of a sentence; null if they can. */
export function faultInWords(words: string): string | null {
  if (!/^[A-Z0-9]+(-[A-Z0-9]+)*$/.test(words)) return 'must be letters from A to Z, digits and hyphens between them'
  return words.length > 24 ? 'is longer than 24 characters' : null
}
