import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorText, type Language } from '../../../src/languages/languages.ts'
import { findViolations } from '../../browser/find-violations.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { BLACK, backgroundOf, WHITE } from '../../features/background/picture.ts'
import { rowsFor } from '../../rows.ts'
import { ENTRY_POINT } from '../entry-point.ts'
import { startLoginApp } from '../start-login-app.ts'
import { BRANDS, screensWith, startAppWithEveryScreen } from './every-screen.ts'
import type { Screen } from './screen.ts'
import { LONG_NAME } from './screen.ts'

const FORCED_COLORS = { features: [{ name: 'forced-colors', value: 'active' }] }

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

/** Opens the app, and returns its screens with a function that shows one of them. */
async function openScreens(brand: keyof typeof BRANDS, language: Language = 'en') {
  const app = await startAppWithEveryScreen(BRANDS[brand])
  const { page } = await browser.openPage()
  await page.goto(`http://localhost:${app.port}/?lang=${language}`)
  const screens = await screensWith(brand, language)
  const emulate = async (name: string, value: string) => {
    const session = await page.createCDPSession()
    await session.send('Emulation.setEmulatedMedia', { features: [{ name, value }] })
  }
  return { page, emulate, show: (name: string) => showScreen(page, screens, name) }
}

async function showScreen(page: Page, screens: readonly Screen[], name: string): Promise<void> {
  const html = screens.find((screen) => screen.name === name)?.html ?? expect.unreachable(name)
  await page.evaluate(`{
    const shown = new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html')
    document.title = shown.title
    for (const name of ['lang', 'dir']) document.documentElement.setAttribute(name, shown.documentElement[name])
    document.body.replaceWith(document.adoptNode(shown.body))
  }`)
}

/** One screen of each kind. */
const KINDS_OF_SCREENS = [
  'fresh',
  'wrong password',
  'expired password',
  'overloaded',
  'welcome back',
  'welcome back, wrong password',
  'not found',
  'explained by the policy',
  'cancelled',
  'unavailable',
]

test.each(rowsFor<keyof typeof BRANDS>(['unbranded'], ['wordmark']))(
  'axe finds no violation on any kind of screen, light and dark, %s',
  async (brand) => {
    const { page, show } = await openScreens(brand)
    await page.setViewport({ width: 320, height: 180 })
    const violations: Record<string, string[]> = {}
    for (const name of KINDS_OF_SCREENS) {
      await show(name)
      violations[name] = await findViolations(page)
    }
    expect(violations).toEqual(Object.fromEntries(KINDS_OF_SCREENS.map((name) => [name, []])))
    await page.close()
  },
)

test('text keeps its contrast over BRAND_BACKGROUND_FILE, which small players and forced colors do not show', async () => {
  const app = await startLoginApp({
    publicUrl: 'http://localhost',
    entryPoints: [WHITE, BLACK].map((picture, index) => {
      const features = { background: backgroundOf(picture) }
      return { ...ENTRY_POINT, brand: BRANDS.wordmark, features, name: `e${index}`, basePath: `/e/e${index}` }
    }),
  })
  const { page } = await browser.openPage()
  const hasPictureAt = async (width: number, height: number) => {
    await page.setViewport({ width, height })
    return await page.evaluate("getComputedStyle(document.documentElement).background.includes('url')")
  }
  for (const name of ['e0', 'e1']) {
    await page.goto(`http://localhost:${app.port}/e/${name}`)
    expect([await hasPictureAt(600, 620), await hasPictureAt(940, 600)]).toEqual([false, false])
    for (const height of [360, 620]) {
      expect(await hasPictureAt(960, height)).toBe(true)
      expect(await findViolations(page)).toEqual([])
      expect(await page.$eval('.card', (card) => String(card.computedStyleMap().get('background-color')))).toMatch(
        /^rgb\(/,
      )
    }
  }
  await (await page.createCDPSession()).send('Emulation.setEmulatedMedia', FORCED_COLORS)
  expect(await hasPictureAt(960, 620)).toBe(false)
  await page.close()
})

/** A node of the accessibility tree. */
interface Node {
  readonly role: string
  readonly name?: string
  readonly description?: string
  readonly invalid?: string
  readonly children?: readonly Node[]
}

/** Roles without a meaning of their own. */
const PLAIN_ROLES = ['none', 'generic', 'StaticText', 'InlineTextBox', 'LabelText', 'form', 'sectionheader', 'group']

/** Returns what a screen reader says, a line for each node: role, name, description, and if it is invalid. */
async function spokenOn(page: Page): Promise<string[]> {
  const lines: string[] = []
  const visit = ({ role, name = '', description = '', invalid, children = [] }: Node): void => {
    const parts = [role, name, description, invalid === 'true' ? 'invalid' : '']
    if (!PLAIN_ROLES.includes(role)) lines.push(parts.filter((part) => part !== '').join(', '))
    for (const child of children) visit(child)
  }
  visit((await page.accessibility.snapshot({ interestingOnly: false })) as unknown as Node)
  return lines
}

test('a screen reader gets the error in the title, as an alert, and with both fields', async () => {
  const { page, show } = await openScreens('square logo')
  await show('wrong password')
  const alert = errorText('en', 'wrongCredentials')
  expect(await spokenOn(page)).toEqual([
    'RootWebArea, Error: Log in to Aurora Sports',
    'main',
    'heading, Log in to watch',
    'alert',
    `textbox, Username, ${alert}, invalid`,
    `textbox, Password, ${alert}, invalid`,
    'checkbox, This is a shared device',
    'link, Forgot password? (opens in a new tab)',
    'button, Log in',
    'button, Cancel',
    'navigation',
    'link, Help (opens in a new tab)',
    'link, Terms (opens in a new tab)',
  ])
  await page.close()
})

test('a screen reader gets the whole user name, and a closed form for another account', async () => {
  const { page, show } = await openScreens('unbranded')
  await show('welcome back, long name')
  expect(await spokenOn(page)).toEqual([
    'RootWebArea, Log in to watch',
    'main',
    'heading, Welcome back',
    `button, Continue as ${LONG_NAME}`,
    'DisclosureTriangle, Use another account',
    'button, Log out',
    'button, Cancel',
  ])
  await page.close()
})

test('a screen reader gets the message of a refusal, and every way on', async () => {
  const { page, show } = await openScreens('square logo')
  await show('explained by the policy')
  expect(await spokenOn(page)).toEqual([
    'RootWebArea, Error: No access',
    'main',
    'heading, No access',
    'alert',
    'link, Renew your season ticket (opens in a new tab)',
    'link, Use another account',
    'button, Back to the video',
    'navigation',
    'link, Help (opens in a new tab)',
    'link, Terms (opens in a new tab)',
  ])
  await page.close()
})

test('in forced colors, buttons, fields and messages keep a border', async () => {
  const { page, emulate, show } = await openScreens('square logo')
  await emulate('forced-colors', 'active')
  for (const name of ['wrong password', 'welcome back', 'not entitled']) {
    await show(name)
    const borders = await page.$$eval('.primary, .links button, .fields > input, [role="alert"]', (elements) =>
      elements.map((element) => element.computedStyleMap().get('border-top-style')?.toString()),
    )
    expect([name, new Set(borders)]).toEqual([name, new Set(['solid'])])
  }
  await page.close()
})

test('nothing moves for a viewer who asks for reduced motion', async () => {
  const { page, emulate, show } = await openScreens('square logo')
  await emulate('prefers-reduced-motion', 'reduce')
  await show('welcome back, wrong password')
  const durations = `Array.from(document.querySelectorAll('*'), (element) => {
    const { transitionDuration, animationName } = getComputedStyle(element)
    return transitionDuration + ' ' + animationName
  })`
  expect(new Set((await page.evaluate(durations)) as string[])).toEqual(new Set(['0s none']))
  await page.close()
})

test.each(rowsFor<Language>(['ar'], ['he']))(
  'in %s, screens run from right to left, and user names from left to right',
  async (language) => {
    const { page, show } = await openScreens('square logo', language)
    const leftOf = (selector: string) => page.$eval(selector, (element) => element.getBoundingClientRect().left)
    /** True if the last character of a text in Latin letters is at its right end. */
    const runsToTheRight = (selector: string, text: string) =>
      page.evaluate(`{
        const element = document.querySelector('${selector}')
        element.textContent = '${text}'
        const leftAt = (index) => {
          const range = document.createRange()
          range.setStart(element.firstChild, index)
          range.setEnd(element.firstChild, index + 1)
          return range.getBoundingClientRect().left
        }
        leftAt(${text.length - 1}) > leftAt(0)
      }`)
    const directionOf = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`)
    await show('fresh')
    await page.setViewport({ width: 640, height: 360 })
    for (const selector of ['h1', '.brand span']) expect(await runsToTheRight(selector, 'Live!')).toBe(true)
    await page.setViewport({ width: 320, height: 180 })
    await show('wrong password')
    expect(await leftOf('label[for="username"]')).toBeGreaterThan(await leftOf('#username'))
    expect(await leftOf('.quiet')).toBeGreaterThan(await leftOf('.help'))
    expect(await leftOf('.help')).toBeGreaterThan(await leftOf('.terms'))
    expect([await directionOf('#username'), await directionOf('#password')]).toEqual(['ltr', 'ltr'])
    for (const name of ['welcome back', 'not entitled']) {
      await show(name)
      expect([await directionOf('h1'), await directionOf('bdi')]).toEqual(['rtl', 'ltr'])
    }
    await page.close()
  },
)
