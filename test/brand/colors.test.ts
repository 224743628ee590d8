import fc from 'fast-check'
import { expect, test } from 'vitest'
import { colorsOf, DarkColor, LightColor } from '../../src/brand/colors.ts'
import { contrastOf, DARK_CARD, nearestColor, textColorOn } from '../../src/brand/contrast.ts'

const faultOf = (field: typeof LightColor, color: string) => field.safeParse(color).error?.issues[0]?.message

test.each([
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#ffffff', 1],
  ['#777777', '#ffffff', 4.48],
  ['#ff0000', '#ffffff', 4],
  ['#0000ff', '#ffff00', 8],
])('the contrast of %s and %s is %d', (one, other, contrast) => {
  expect(contrastOf(one, other)).toBeCloseTo(contrast, 1)
  expect(contrastOf(other, one)).toBe(contrastOf(one, other))
})

test.each(['#767676', '#2f4bd8', '#C8102E', '#036', '2f4bd8', '036'])('%s is accepted for light screens', (color) => {
  expect(faultOf(LightColor, color)).toBeUndefined()
})

test('a color of three digits is written with six', () => {
  expect(LightColor.parse('#03A'.toLowerCase())).toBe('#0033aa')
})

test.each([
  ['#777777', '4.47', '#767676'],
  ['#777', '4.47', '#767676'],
  ['#ffff00', '1.07', '#7a7a00'],
  ['#eeeeee', '1.16', '#767676'],
])('%s is refused for light screens with its contrast and the nearest good color', (color, contrast, nearest) => {
  expect(faultOf(LightColor, color)).toContain(`a contrast of ${contrast}`)
  expect(faultOf(LightColor, color)).toContain(`color is ${nearest}`)
  expect(faultOf(LightColor, nearest)).toBeUndefined()
})

test.each(['#101020', '#000000', '#003300'])(
  '%s is refused for dark screens, because the button can hardly be seen',
  (color) => {
    const nearest = /#[0-9a-f]{6}$/.exec(faultOf(DarkColor, color) ?? '')?.[0] ?? ''
    expect(faultOf(DarkColor, nearest)).toBeUndefined()
  },
)

test.each(['red', '#12', '#12345', '#gggggg', 'rgb(0,0,0)', '#2f4bd8;', '##2f4bd8', ''])(
  '%j is not a color',
  (text) => {
    expect(faultOf(LightColor, text)).toBe('must be a color such as 2f4bd8')
  },
)

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

test('the text on a button can always be read, on light and on dark screens', () => {
  fc.assert(
    fc.property(anyColor, fc.boolean(), (color, isLight) => {
      const colors = isLight ? colorsOf(color, undefined) : colorsOf(undefined, color)
      const dark = colors?.dark ?? ''
      expect(contrastOf(textColorOn(dark) === '#fff' ? '#ffffff' : '#000000', dark)).toBeGreaterThanOrEqual(4.5)
      if (isLight) expect(contrastOf(dark, DARK_CARD)).toBeGreaterThanOrEqual(3)
      else expect(contrastOf(colors?.light ?? '', '#ffffff')).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('a good color is its own nearest color', () => {
  expect(nearestColor('#123456', '#000000', () => true)).toBe('#123456')
  expect(nearestColor('#123456', '#000000', () => false)).toBe('#000000')
})

test('one color is used for both kinds of screen as far as it can be seen', () => {
  expect(colorsOf(undefined, undefined)).toBeNull()
  expect(colorsOf('#c8102e', undefined)).toEqual({ light: '#c8102e', dark: '#c8102e' })
  expect(colorsOf('#123456', '#abcdef')).toEqual({ light: '#123456', dark: '#abcdef' })
})

test('the dark card of the check is the one of the stylesheet', async () => {
  const { readFile } = await import('node:fs/promises')
  const css = await readFile(new URL('../../public/login.css', import.meta.url), 'utf8')
  expect(css).toContain(`--card: light-dark(#fff, ${DARK_CARD})`)
})
