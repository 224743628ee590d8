/** Contrast of colours as in WCAG 2.2, "contrast ratio" and "relative luminance". Colours are #rrggbb. */

const LEAST_OF_TEXT = 4.5
/** Returns the contrast of two colours, from 1 to 21. */
function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Returns white or black. White wins if it is readable, because buttons usually have light text. */
export function textColorOn(color: string): '#fff' | '#000' {
  return contrastOf(color, '#ffffff') >= LEAST_OF_TEXT ? '#fff' : '#000'
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
