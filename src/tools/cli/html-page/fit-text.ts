const ELLIPSIS = '…'
const graphemes = new Intl.Segmenter()
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uff00-\uff60]/u
const NARROW = /[\u0020iIjlrtf.,:;|!'()[\]]/
const BROAD = /[mwMW@%]/
const CAPITAL = /[\p{Lu}&]/u

/**
 * Cuts a text to a width, and adds an ellipsis if it was cut. There is no font to measure with, so letters count as
 * slightly wider than in common sans-serif fonts.
 */
export function fitText(text: string, widthPixels: number, fontSizePixels: number): string {
  const widthEm = widthPixels / fontSizePixels
  let usedEm = 0
  let fits = ''
  for (const { segment } of graphemes.segment(text)) {
    usedEm += emOf(segment)
    if (usedEm > widthEm) return `${fits.trimEnd()}${ELLIPSIS}`
    // Keeps room for the ellipsis.
    if (usedEm <= widthEm - 1) fits += segment
  }
  return text
}

/** Returns the largest possible width of a text, in pixels. */
export function textWidth(text: string, fontSizePixels: number): number {
  let em = 0
  for (const { segment } of graphemes.segment(text)) em += emOf(segment)
  return em * fontSizePixels
}

function emOf(grapheme: string): number {
  if (WIDE.test(grapheme)) return 1.1
  if (NARROW.test(grapheme)) return 0.36
  if (BROAD.test(grapheme)) return 1
  return CAPITAL.test(grapheme) ? 0.76 : 0.6
}
