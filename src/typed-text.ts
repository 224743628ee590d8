/** Characters that no screen shows. The number signs of Arabic are format characters too, but they are shown. */
const HIDDEN = String.raw`[[\p{Cf}&&\p{DI}]\uFFF9-\uFFFB\u034F\u115F\u1160\u2800\u3164\uFFA0]`
/** Scripts in which a joiner between two letters changes their form. */
const SCRIPTS =
  'Arab Syrc Mand Nkoo Mong Phag Adlm Rohg Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Bali Java'
const LETTER = `[[${SCRIPTS.replace(/\w+ ?/g, (name) => String.raw`\p{scx=${name.trim()}}`)}]&&[\\p{L}\\p{M}]]`
const JOINER = String.raw`[\u200C\u200D]`
const BLANK = String.raw`[\s${HIDDEN}]`
// The lookbehind keeps a long run of blanks inside a text from taking time of its square.
const AT_EDGES = new RegExp(`^${BLANK}+|(?<!${BLANK})${BLANK}+$`, 'gv')
const INSIDE = new RegExp(`[${HIDDEN}--${JOINER}]`, 'gv')
const PICTOGRAPH = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]`
const NEEDLESS_JOINER = new RegExp(
  `(?!(?<=${LETTER})${JOINER}${LETTER}|(?<=${PICTOGRAPH})\u200D${PICTOGRAPH})${JOINER}`,
  'gv',
)
const DIRECTION_MARK = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/
/** Brackets and quotation marks that stand around an address in mails, chats and lists. */
const WRAPPED = /^([^<>]*)[<[(]\s*(?:mailto:)?([^\s<>[\]()]+)\s*[>\])]$/i
const QUOTED = /^["'“”„‘’‚«»](.*)["'“”„‘’‚«»]$/
const SIGNS_BEHIND = /(?<![\s.,;:，；。、])[\s.,;:，；。、]+$/
const LIKE_AN_ADDRESS = /^[^\s@<>()[\],;:"|]+@[^\s@<>()[\],;:"|]+[^\s@<>()[\],;:"|.]$/

/** Removes blanks and hidden characters at the edges. Passwords never pass through here. */
export function trimTyped(text: string): string {
  return text.replace(AT_EDGES, '')
}

/** True for a mark that makes a reader see the characters around it in another order. */
export function hasDirectionMark(text: string): boolean {
  return DIRECTION_MARK.test(text)
}

/**
 * Returns a text that a person typed or pasted, or that a list holds, without blanks at the edges and without hidden
 * characters. Joiners between letters stay where the script needs them. Not in a canonical form: in an address, a letter that
 * only looks like another must not become it.
 */
export function cleanText(text: string): string {
  return trimTyped(text).replace(INSIDE, '').replace(NEEDLESS_JOINER, '')
}

/**
 * Returns a clean user name or address. What surrounds an address goes: `mailto:`, a name with `<…>`, quotation marks, and
 * a comma, semicolon or full stop behind it. A text without an address stays.
 */
export function cleanName(text: string): string {
  const clean = cleanText(text)
  if (!clean.includes('@')) return clean
  const bare = clean.replace(SIGNS_BEHIND, '').replace(/^mailto:\s*([^?]*).*$/i, '$1')
  const [, name = '', wrapped = bare] = WRAPPED.exec(bare) ?? []
  const address = wrapped.replace(SIGNS_BEHIND, '').replace(QUOTED, '$1').replace(SIGNS_BEHIND, '')
  // A name that is another address leaves open which one is meant.
  const isNamed = !name.includes('@') || name.trim().replace(QUOTED, '$1').toLowerCase() === address.toLowerCase()
  return LIKE_AN_ADDRESS.test(address) && isNamed ? address : clean
}

/**
 * Returns the only text that a pattern finds in a longer text, without its hyphens and blanks; null for several, undefined
 * for none. Of the patterns, the first that finds anything decides.
 */
export function onlyMatch(text: string, patterns: readonly RegExp[]): string | null | undefined {
  for (const pattern of patterns) {
    const found = [...text.matchAll(pattern)].map(([match, part = match]) => part.replace(/[\s\p{Dash}]/gu, ''))
    if (found.length > 0) return found.every((one) => one === found[0]) ? found[0] : null
  }
  return undefined
}
