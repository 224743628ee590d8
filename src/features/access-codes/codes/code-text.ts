import { randomInt } from 'node:crypto'

/** No vowels, so that no code is a word. No two characters that look alike. */
const ALPHABET = '23456789CDFGHJKMNPQRTVWXY'
export const ALPHABET_SIZE = ALPHABET.length
export const FEWEST_CHARACTERS = 8
/** Longer texts are not codes. */
export const LONGEST_CODE = 64

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
 * Returns the canonical code for any spelling: any case, with blanks and hyphens, with characters that look alike, and with
 * the wide letters of Japanese keyboards. Null for a text that cannot be a code.
 */
export function canonicalCode(typed: string): string | null {
  if (typed.length > LONGEST_CODE) return null
  const text = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}_.]/gu, '')
    .replace(/[OILZSBU]/g, (character) => LOOK_ALIKES[character] ?? character)
  return /^[0-9A-Z]{4,64}$/.test(text) ? text : null
}

/** Returns why words cannot begin a code, as the end of a sentence; null if they can. */
export function faultInWords(words: string): string | null {
  if (!/^[A-Z0-9]+(-[A-Z0-9]+)*$/.test(words)) return 'must be letters from A to Z, digits and hyphens between them'
  return words.length > 24 ? 'is longer than 24 characters' : null
}
