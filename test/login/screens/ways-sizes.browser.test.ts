import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Language } from '../../../src/languages/languages.ts'
import { findGeometryFaults } from '../../browser/find-geometry-faults.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { rowsFor } from '../../rows.ts'
import { ENTRY_POINT } from '../entry-point.ts'
import { startLoginApp } from '../start-login-app.ts'
import { BRANDS, LANGUAGES } from './every-screen.ts'
import type { Screen } from './screen.ts'
import { ALL_WAYS, PAIRS, SINGLE_WAYS, screensOf } from './screen-ways.ts'

const SIZES = ['320x180', '375x211', '480x270', '640x360', '1280x720', '375x667'] as const
type Looks = keyof typeof BRANDS
const LOOKS = rowsFor<Looks>(['square logo'], ['unbranded', 'wordmark', 'longest texts'])
/** Long words, and another direction. */
const FEW_LANGUAGES: readonly Language[] = rowsFor(['de', 'fr', 'ar'], LANGUAGES)

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

async function openApp(looks: Looks): Promise<Page> {
  const brand = BRANDS[looks]
  const app = await startLoginApp({ publicUrl: 'http://localhost', entryPoints: [{ ...ENTRY_POINT, brand }] })
  const { page } = await browser.openPage()
  await page.goto(`http://localhost:${app.port}/`)
  return page
}

/** Returns the faults of each screen in a window of this size. */
async function faultsIn(page: Page, size: string, screens: readonly Screen[]): Promise<string[]> {
  const [width = 0, height = 0] = size.split('x').map(Number)
  await page.setViewport({ width, height })
  const rules = { leastTarget: size === '375x667' ? 44 : 24, mostScroll: 0 }
  const html = screens.map((screen) => screen.html)
  const found = await findGeometryFaults(page, html, rules)
  return found.flatMap((list, index) => list.map((fault) => `${size} ${screens[index]?.name}: ${fault}`))
}

test.each(LOOKS)(
  'each way and each pair fits every size, %s: nothing scrolls, is cut off or overlaps',
  async (looks) => {
    const page = await openApp(looks)
    const faults: string[] = []
    for (const language of FEW_LANGUAGES) {
      const screens = [...SINGLE_WAYS, ...PAIRS].flatMap((ways) => screensOf(ways, language, BRANDS[looks]))
      for (const size of SIZES) faults.push(...(await faultsIn(page, size, screens)))
    }
    expect(faults).toEqual([])
    await page.close()
  },
)

test.each(LOOKS)('all ways together fit 480x270 and more, whichever is the first, %s', async (looks) => {
  const page = await openApp(looks)
  const faults: string[] = []
  for (const language of FEW_LANGUAGES) {
    const screens = screensOf(ALL_WAYS, language, BRANDS[looks])
    for (const size of SIZES.slice(2)) faults.push(...(await faultsIn(page, size, screens)))
  }
  expect(faults).toEqual([])
  await page.close()
})

test.each(LOOKS)('with all ways in a small player, the first way and "Cancel" are in sight, %s', async (looks) => {
  const page = await openApp(looks)
  const faults: string[] = []
  for (const size of SIZES.slice(0, 2)) {
    for (const { name, html } of FEW_LANGUAGES.flatMap((language) => screensOf(ALL_WAYS, language, BRANDS[looks]))) {
      const found = await faultsIn(page, size, [{ name, html }])
      const hidden = await page.evaluate(`Array.from(document.querySelectorAll('.primary, .quiet'))
        .filter((element) => element.getBoundingClientRect().bottom > innerHeight).map(({ textContent }) => textContent)`)
      const others = found.filter((fault) => !/scrolls by|is on (?:button|a)\.(?:quiet|device)/.test(fault))
      faults.push(...others, ...(hidden as string[]).map((text) => `${size} ${name}: out of sight: ${text}`))
    }
  }
  expect(faults).toEqual([])
  await page.close()
})
