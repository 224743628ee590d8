import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Brand } from '../../../src/brand/brand.ts'
import type { Language } from '../../../src/languages/languages.ts'
import { createPages } from '../../../src/login/screens/page.ts'
import { type ScreenPart, waysOf } from '../../../src/login/screens/screen-part.ts'
import { type SignInState, signInLocals } from '../../../src/login/screens/screens.ts'
import { openViews } from '../../../src/login/screens/views.ts'
import { findGeometryFaults } from '../../browser/find-geometry-faults.ts'
import { findViolations } from '../../browser/find-violations.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { rowsFor } from '../../rows.ts'
import { ENTRY_POINT } from '../entry-point.ts'
import { startLoginApp } from '../start-login-app.ts'
import { BRANDS, LANGUAGES } from './every-screen.ts'
import type { Screen } from './screen.ts'
import { SCREEN_WAYS } from './screen-ways.ts'

const SIZES = rowsFor(['320x180', '480x270', '375x667'], ['375x211', '640x360', '1280x720'])
const SMALL_SIZES = ['320x180', '375x211']
type Looks = keyof typeof BRANDS
const LOOKS = rowsFor<Looks>(['square logo'], ['unbranded', 'wordmark', 'longest texts'])
/** Long words, and another direction. */
const FEW_LANGUAGES: readonly Language[] = rowsFor(['de', 'ar'], LANGUAGES)

/** Ways that one sign-in screen has together. */
interface Combination {
  readonly name: string
  readonly hasPasswordForm: boolean
  readonly parts: readonly ScreenPart[]
}

/** Combines the password, or no password, with other ways. */
function combine(hasPasswordForm: boolean, ...parts: readonly ScreenPart[]): Combination {
  const names = parts.map(({ name }) => name)
  return { name: [...(hasPasswordForm ? ['password'] : []), ...names].join(' + '), hasPasswordForm, parts }
}

const SINGLE_WAYS = [combine(true), ...SCREEN_WAYS.map((way) => combine(false, way))]
const PAIRS = [
  ...SCREEN_WAYS.map((way) => combine(true, way)),
  ...SCREEN_WAYS.flatMap((one, index) => SCREEN_WAYS.slice(index + 1).map((other) => combine(false, one, other))),
]
const ALL_WAYS = combine(true, ...SCREEN_WAYS)

const views = openViews()

/** Returns the screens of ways together: each way as the first one, before and after a refusal, and its other forms. */
function screensOf({ name, hasPasswordForm, parts }: Combination, language: Language, brand: Brand): Screen[] {
  const page = createPages(brand, views.asset('icon.svg'))(language)
  const context = { address: { url: '', origin: '' }, content: {}, fields: {} }
  const refusal = { status: 503, text: 'storeDown', retryAfterSeconds: 5 } as const
  const all = waysOf(hasPasswordForm, parts)
  return all.flatMap((first) => {
    const ways = [first, ...all.filter((way) => way !== first)]
    const states: Record<string, Omit<SignInState, 'context'>> = {
      first: {},
      ...Object.fromEntries(
        first.prompts.map(({ value: prompt }) => [prompt, { prompt, username: 'ada@example.com' }]),
      ),
      refused: { refusal, username: 'ada@example.com' },
    }
    return Object.entries(states).map(([state, values]) => {
      const locals = signInLocals({ views, brand, basePath: '', ways }, page, { ...values, context })
      return { name: `${language} ${name}: ${first.name} ${state}`, html: views.signIn(locals) }
    })
  })
}

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
    for (const size of SIZES.filter((one) => !SMALL_SIZES.includes(one)))
      faults.push(...(await faultsIn(page, size, screens)))
  }
  expect(faults).toEqual([])
  await page.close()
})

test.each(LOOKS)('with all ways in a small player, the first way and "Cancel" are in sight, %s', async (looks) => {
  const page = await openApp(looks)
  const faults: string[] = []
  for (const size of SMALL_SIZES) {
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

test.each(LOOKS)('axe finds no violation on pairs of ways and on all of them, light and dark, %s', async (looks) => {
  const page = await openApp(looks)
  const violations: string[] = []
  for (const screen of rowsFor([ALL_WAYS], PAIRS).flatMap((ways) => screensOf(ways, 'en', BRANDS[looks]))) {
    for (const size of ['320x180', '640x360']) {
      // Shows the screen, which stays.
      await faultsIn(page, size, [screen])
      const found = await findViolations(page)
      violations.push(...found.map((violation) => `${size} ${screen.name}: ${violation}`))
    }
  }
  expect(violations).toEqual([])
  await page.close()
})
