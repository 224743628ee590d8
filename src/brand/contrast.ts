/** Contrast of colors as in WCAG 2.2: "contrast ratio" and "relative luminance". Colors are #rrggbb. */

/** `--card` on dark screens, in public/login.css. */
export const DARK_CARD = '#16181f'
/** The least contrast of text (WCAG 2.2, 1.4.3). */
export const TEXT_CONTRAST = 4.5
/** The least contrast of a control to what is around it (WCAG 2.2, 1.4.11). */
export const CARD_CONTRAST = 3

const MIXES = 256

/** Returns the contrast of two colors, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Returns the text color of a button: white if it can be read, else black. */
export function textColorOn(color: string): '#fff' | '#000' {
  return contrastOf(color, '#ffffff') >= TEXT_CONTRAST ? '#fff' : '#000'
}

/** Returns the first good color on the way from a color to black or white; the color itself if it is good. */
export function nearestColor(color: string, end: string, isGood: (color: string) => boolean): string {
  for (let step = 0; step < MIXES; step += 1) {
    const mixed = mix(color, end, step / MIXES)
    if (isGood(mixed)) return mixed
  }
  return end
}

function mix(color: string, other: string, share: number): string {
  const others = channelsOf(other)
  const mixed = channelsOf(color).map((channel, index) => channel + ((others[index] ?? 0) - channel) * share)
  return `#${mixed.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))
}
