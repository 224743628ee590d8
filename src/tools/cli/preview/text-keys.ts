import { type Language, textsOf } from '../../../languages/languages.ts'

/** A text of views/languages. */
export interface KnownText {
  /** The way to it in the file, such as `errors.disabled`. */
  readonly key: string
  readonly text: string
  readonly english: string
}

/**
 * Returns a function that finds the texts of the language file on a screen. A text that stands under several keys is found
 * under each.
 */
export function createTextFinder(language: Language): (shown: readonly string[]) => readonly KnownText[] {
  const known = allTexts(language)
  return (shown) => known.filter(({ text }) => shown.some((one) => isShown(text, one)))
}

/** Returns all texts of a language, in the order of the file. */
export function allTexts(language: Language): KnownText[] {
  const english = new Map(leavesOf(textsOf('en'), ''))
  return [...leavesOf(textsOf(language), '')].map(([key, text]) => ({ key, text, english: english.get(key) ?? '' }))
}

function* leavesOf(data: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof data === 'string') yield [path, data]
  else if (typeof data === 'object' && data !== null) {
    for (const [name, one] of Object.entries(data)) yield* leavesOf(one, path === '' ? name : `${path}.${name}`)
  }
}

/** True if a text is on the screen. A value such as `{username}` may be any text. */
function isShown(template: string, shown: string): boolean {
  const pieces = template
    .replace(/\s+/g, ' ')
    .trim()
    .split(/\{\w+\}/)
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)]
  if (pieces.length === 1) return shown === first
  // A text that is only a value would be everywhere.
  if (!/\p{L}/u.test(pieces.join(''))) return false
  let at = 0
  for (const piece of pieces) {
    at = shown.indexOf(piece, at) + piece.length
    if (at < piece.length) return false
  }
  return shown.startsWith(first) && shown.endsWith(last)
}
