import { z } from 'zod'
import { fail } from '../settings/fields.ts'
import type { Brand } from './brand.ts'
import { CARD_CONTRAST, contrastOf, DARK_CARD, nearestColor, TEXT_CONTRAST } from './contrast.ts'

const BLACK = '#000000'
const WHITE = '#ffffff'
const isGoodOnLight = (color: string) => contrastOf(color, WHITE) >= TEXT_CONTRAST
const isGoodOnDark = (color: string) => contrastOf(color, DARK_CARD) >= CARD_CONTRAST

/** A color as #rrggbb. The # may be missing: in a file such as `.env`, it begins a comment. */
const Color = z.string('must be text').transform((text, context): string => {
  const [, digits] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/.exec(text.toLowerCase()) ?? []
  if (digits === undefined) return fail(context, 'must be a color such as 2f4bd8')
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`
})

/** The color of the button on light screens, where its text is white. */
export const LightColor = Color.transform((color, context): string => {
  if (isGoodOnLight(color)) return color
  const fault = `has a contrast of ${contrastText(color, WHITE)} to its white text, which needs ${TEXT_CONTRAST}`
  const nearest = nearestColor(color, BLACK, isGoodOnLight)
  return fail(
    context,
    `${fault}. The nearest good color is ${nearest}. A bright color is for dark screens: BRAND_COLOR_DARK`,
  )
})

/** The color of the button on dark screens. Its text is white or black, and one of the two can always be read. */
export const DarkColor = Color.transform((color, context): string => {
  if (isGoodOnDark(color)) return color
  const fault = `has a contrast of ${contrastText(color, DARK_CARD)} to the dark screen, and a button needs ${CARD_CONTRAST}`
  return fail(context, `${fault}. The nearest good color is ${nearestColor(color, WHITE, isGoodOnDark)}`)
})

/** Returns both colors. If one is missing, the nearest good color to the other takes its place. */
export function colorsOf(light: string | undefined, dark: string | undefined): Brand['colors'] {
  const given = light ?? dark
  if (given === undefined) return null
  return {
    light: light ?? nearestColor(given, BLACK, isGoodOnLight),
    dark: dark ?? nearestColor(given, WHITE, isGoodOnDark),
  }
}

/** Rounds down, so that a contrast that is too small never looks good. */
function contrastText(color: string, background: string): string {
  return (Math.floor(contrastOf(color, background) * 100) / 100).toFixed(2)
}
