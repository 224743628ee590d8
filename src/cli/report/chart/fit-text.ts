const ELLIPSIS = '…'
const graphemes = new Intl.Segmenter()
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uff00-\uff60]/u
const NARROW = /[\u0020iIjlrtf.,:;|!'()[\]]/
const BROAD = /[mwMW@%]/
const CAPITAL = /[\p{Lu}&]/u

/**
 * As much of a text as fits into the width, an ellipsis after it where it was cut. There is no font to measure with, so
 * letters count as somewhat wider than they are in common sans-serif fonts.
 */
export function fitText(text: string, widthPixels: number, fontSizePixels: number): string {
  const widthEm = widthPixels / fontSizePixels
  let usedEm = 0
  let fits = ''
  for (const { segment } of graphemes.segment(text)) {
    usedEm += emOf(segment)
    if (usedEm > widthEm) return `${fits.trimEnd()}${ELLIPSIS}`
    // Room for the ellipsis is kept.
    if (usedEm <= widthEm - 1) fits += segment
  }
  return text
}

/** How wide a text will be at most, in pixels. */
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
