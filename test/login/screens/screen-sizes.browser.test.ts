import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OverloadedError } from '../../../src/errors.ts'
import type { Language } from '../../../src/languages/languages.ts'
import { findGeometryFaults, type GeometryRules, LOADED } from '../../browser/find-geometry-faults.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { pressKey, typeText } from '../../browser/press-and-type.ts'
import { rowsFor } from '../../rows.ts'
import { ADA } from '../start-login-app.ts'
import { BRANDS, LANGUAGES, screensWith, startAppWithEveryScreen } from './every-screen.ts'

/** 320 × 256 is a window of 1280 × 1024 at a zoom of 400 %. */
const SIZES = ['320x180', '320x256', '375x211', '480x270', '640x360', '1280x720', '375x667', '1920x1080'] as const
type Size = (typeof SIZES)[number]
/** The smallest frames, a zoom of 400 %, and a phone. What fits them fits wider frames. */
const FEW_SIZES = rowsFor<Size>(
  ['320x180', '320x256', '375x211', '375x667'],
  ['480x270', '640x360', '1280x720', '1920x1080'],
)
/** Text of twice the size needs twice the width of the smallest frame. */
const ENLARGED_SIZES = ['640x360', '1280x720', '375x667']
type Brand = keyof typeof BRANDS
/** The square logo leaves the least room: the name stands beside it, above all links. */
const FEW_BRANDS = rowsFor<Brand>(['square logo'], ['wordmark', 'unbranded', 'longest texts', 'name of a line'])
/** A language with long words, and another direction. `longest texts` has the longest of all languages. */
const FEW_LANGUAGES: readonly Language[] = ['de', 'ar']

/** The spacing of WCAG 1.4.12. */
const WIDER_SPACING = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(
    '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }' +
    'p { margin-bottom: 2em !important }')
  document.adoptedStyleSheets = [sheet]
}`

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

/** Opens the app with a brand, and returns its screens in these languages. */
async function openScreens(brand: Brand, languages: readonly Language[]) {
  const app = await startAppWithEveryScreen(BRANDS[brand])
  const { page } = await browser.openPage()
  await page.goto(`http://localhost:${app.port}/`)
  const screens: { name: string; html: string }[] = []
  for (const language of languages) {
    for (const { name, html } of await screensWith(brand, language))
      screens.push({ name: `${language}: ${name}`, html })
  }
  return { page, screens }
}

/** Returns a line for each fault, in a window of this size in CSS pixels. */
async function faultsIn(
  page: Page,
  size: string,
  screens: readonly { name: string; html: string }[],
  rules: GeometryRules,
): Promise<string[]> {
  const [width = 0, height = 0] = size.split('x').map(Number)
  await page.setViewport({ width, height })
  const faults = await findGeometryFaults(
    page,
    screens.map(({ html }) => html),
    rules,
  )
  return faults.flatMap((list, index) => list.map((fault) => `${size} ${screens[index]?.name}: ${fault}`))
}

/** Phones in portrait have large targets. A window of 320 × 256 is not a frame of a player, and may scroll. */
function rulesFor(size: Size): GeometryRules {
  return { leastTarget: size === '375x667' ? 44 : 24, mostScroll: size === '320x256' ? 1_000 : 0 }
}

test.each(
  rowsFor<{ brand: Brand; languages: readonly Language[]; sizes: readonly Size[] }>(
    [
      { brand: 'square logo', languages: FEW_LANGUAGES, sizes: FEW_SIZES },
      { brand: 'wordmark', languages: ['de', 'ar'], sizes: ['320x180'] },
      { brand: 'unbranded', languages: ['de', 'ar'], sizes: ['320x180'] },
      { brand: 'longest texts', languages: ['de'], sizes: FEW_SIZES },
      { brand: 'name of a line', languages: ['de'], sizes: ['375x211'] },
    ],
    (['square logo', 'wordmark', 'unbranded', 'longest texts', 'name of a line'] as const).map((brand) => ({
      brand,
      languages: LANGUAGES,
      sizes: SIZES,
    })),
  ),
)(
  'every screen fits $sizes.length sizes in $languages.length languages, $brand: nothing scrolls, is cut off or overlaps',
  async ({ brand, languages, sizes }) => {
    const { page, screens } = await openScreens(brand, languages)
    const faults: string[] = []
    for (const size of sizes) faults.push(...(await faultsIn(page, size, screens, rulesFor(size))))
    expect(faults).toEqual([])
    await page.close()
  },
)

test.each(FEW_BRANDS)('the focus ring of every target is visible at every size, %s', async (brand) => {
  const { page, screens } = await openScreens(brand, ['en', 'ar'])
  await page.bringToFront()
  const faults: string[] = []
  for (const size of FEW_SIZES)
    faults.push(...(await faultsIn(page, size, screens, { ...rulesFor(size), withFocus: true })))
  expect(faults).toEqual([])
  await page.close()
})

test.each(FEW_BRANDS)(
  'text of twice the size is not cut off, does not overlap, and scrolls in one direction, %s',
  async (brand) => {
    const { page, screens } = await openScreens(brand, rowsFor<Language>(['de', 'ar'], ['ja']))
    const session = await page.createCDPSession()
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
    const rules = { leastTarget: 24, mostScroll: 5_000 }
    const faults: string[] = []
    for (const size of ENLARGED_SIZES) faults.push(...(await faultsIn(page, size, screens, rules)))
    expect(faults).toEqual([])
    await page.close()
  },
)

test('wider spacing of letters, words, lines and paragraphs cuts nothing off', async () => {
  const { page, screens } = await openScreens('square logo', ['de', 'ja'])
  await page.evaluate(WIDER_SPACING)
  const rules = { leastTarget: 24, mostScroll: 5_000 }
  const faults: string[] = []
  for (const size of ['640x360', '375x667']) faults.push(...(await faultsIn(page, size, screens, rules)))
  expect(faults).toEqual([])
  expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).letterSpacing')).not.toBe('normal')
  await page.close()
})

test('with its script, the sign-in screen fits every size too, also while it counts down', async () => {
  const app = await startAppWithEveryScreen(BRANDS['square logo'])
  const { page } = await browser.openPage()
  const faults: string[] = []
  for (const language of rowsFor(['de', 'ar'], ['en', 'ja'])) {
    await page.goto(`http://localhost:${app.port}/?lang=${language}`)
    await page.waitForSelector('.entry button')
    for (const name of ['fresh', 'overloaded']) {
      if (name === 'overloaded') {
        app.users.fail(new OverloadedError('too many', 60))
        await typeText(page.mainFrame(), '#username', ADA.username)
        await typeText(page.mainFrame(), '#password', ADA.password)
        await pressKey(page.mainFrame(), '#password')
        await page.waitForSelector('[aria-live="off"]')
        app.users.fail(null)
      }
      const screens = [{ name: `${language}: ${name}`, html: LOADED }]
      for (const size of FEW_SIZES) faults.push(...(await faultsIn(page, size, screens, rulesFor(size))))
    }
  }
  expect(faults).toEqual([])
  await page.close()
})
