import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPages } from '../../../src/login/screens/page.ts'
import { type SignInState, signInLocals } from '../../../src/login/screens/screens.ts'
import { openViews } from '../../../src/login/screens/views.ts'
import { findGeometryFaults } from '../../browser/find-geometry-faults.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { rowsFor } from '../../rows.ts'
import { ENTRY_POINT } from '../entry-point.ts'
import { startLoginApp } from '../start-login-app.ts'
import { BRANDS, LANGUAGES } from './every-screen.ts'
import type { Screen, ScreenWay } from './screen.ts'
import { SCREEN_WAYS } from './screen-ways.ts'

const SIZES = ['320x180', '375x211', '480x270', '640x360', '1280x720', '375x667'] as const
/** Long words, and another direction. */
const FEW_LANGUAGES = rowsFor(['de', 'fr', 'ar'], LANGUAGES)

/** A password form or none, and these ways. */
interface Combination {
  readonly name: string
  readonly hasPasswordForm: boolean
  readonly ways: readonly ScreenWay[]
}

/** Returns each way beside the password, and each pair of ways without it. */
function pairs(): Combination[] {
  const withPassword = SCREEN_WAYS.map((way) => ({ name: `password, ${way.name}`, hasPasswordForm: true, ways: [way] }))
  const others = SCREEN_WAYS.flatMap((one, index) => SCREEN_WAYS.slice(index + 1).map((other) => [one, other]))
  const without = others.map((ways) => ({
    name: ways.map(({ name }) => name).join(', '),
    hasPasswordForm: false,
    ways,
  }))
  return [...withPassword, ...without]
}

const ALL: Combination = { name: 'all ways', hasPasswordForm: true, ways: SCREEN_WAYS }

const views = openViews()
const brand = BRANDS['square logo']
const pageIn = createPages(brand, views.asset('icon.svg'))

/** Returns the first screen of these ways, the screen of each way, and the first screen after a refusal. */
function screensOf({ name, hasPasswordForm, ways }: Combination, language: string): Screen[] {
  const parts = ways.map((way) => way.partWith(hasPasswordForm))
  const prompts = parts.flatMap((part) => part.prompts.map(({ value }) => value))
  const states: Record<string, Omit<SignInState, 'context'>> = {
    first: {},
    ...Object.fromEntries(prompts.map((prompt) => [prompt, { prompt }])),
    refused: { refusal: { status: 503, text: 'storeDown', retryAfterSeconds: 5 }, username: 'ada@example.com' },
  }
  const context = { address: { url: '', origin: '' }, content: {}, fields: {} }
  return Object.entries(states).map(([state, values]) => {
    const locals = signInLocals({ views, brand, basePath: '', parts }, pageIn(language), { ...values, context })
    return { name: `${language} ${name}: ${state}`, html: views.signIn(locals) }
  })
}

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

async function openApp() {
  const app = await startLoginApp({ publicUrl: 'http://localhost', entryPoints: [{ ...ENTRY_POINT, brand }] })
  const { page } = await browser.openPage()
  await page.goto(`http://localhost:${app.port}/`)
  return page
}

test('every pair of ways fits every size: nothing scrolls, is cut off or overlaps', async () => {
  const page = await openApp()
  const screens = FEW_LANGUAGES.flatMap((language) => pairs().flatMap((pair) => screensOf(pair, language)))
  const faults: string[] = []
  for (const size of SIZES) {
    const [width = 0, height = 0] = size.split('x').map(Number)
    await page.setViewport({ width, height })
    const rules = { leastTarget: size === '375x667' ? 44 : 24, mostScroll: 0 }
    const html = screens.map((screen) => screen.html)
    const found = await findGeometryFaults(page, html, rules)
    faults.push(...found.flatMap((list, index) => list.map((fault) => `${size} ${screens[index]?.name}: ${fault}`)))
  }
  expect(faults).toEqual([])
  await page.close()
})

test('all ways together fit 480x270 and more; at 320x180 the first way and "Cancel" are in sight', async () => {
  const page = await openApp()
  const screens = FEW_LANGUAGES.flatMap((language) => screensOf(ALL, language).slice(0, 1))
  const faults: string[] = []
  for (const size of SIZES) {
    const [width = 0, height = 0] = size.split('x').map(Number)
    await page.setViewport({ width, height })
    const isSmall = height < 270
    const rules = { leastTarget: size === '375x667' ? 44 : 24, mostScroll: 0 }
    for (const { name, html } of screens) {
      const [found = []] = await findGeometryFaults(page, [html], rules)
      const hidden = await page.evaluate(`[document.querySelector('.primary'), document.querySelector('.quiet')]
        .filter((element) => element.getBoundingClientRect().bottom > innerHeight).map(({ textContent }) => textContent)`)
      faults.push(
        ...[...(isSmall ? [] : found), ...(hidden as string[]).map((text) => `out of sight: ${text}`)].map(
          (fault) => `${size} ${name}: ${fault}`,
        ),
      )
    }
  }
  expect(faults).toEqual([])
  await page.close()
})
