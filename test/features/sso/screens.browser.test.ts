import { afterAll, beforeAll, expect, test } from 'vitest'
import { FRAME_REFUSALS, type RefusedSignIn } from '../../../src/features/sso/flow-kinds.ts'
import { textOfRefusal } from '../../../src/features/sso/refusals.ts'
import { errorText, type Language } from '../../../src/languages/languages.ts'
import { type FlowStore, RESULT } from '../../../src/services/window/flows/flow-store.ts'
import { digestOf, randomText } from '../../../src/services/window/random-text.ts'
import { findGeometryFaults } from '../../browser/find-geometry-faults.ts'
import { findViolations } from '../../browser/find-violations.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { BRANDS, LANGUAGES } from '../../login/screens/every-screen.ts'
import type { Screen } from '../../login/screens/screen.ts'
import { LONG_NAME } from '../../login/screens/screen.ts'
import { ADA } from '../../login/start-login-app.ts'
import { rowsFor } from '../../rows.ts'
import { withSso } from './entry-point.ts'
import { fieldOf, type SsoApp, startSso } from './start-sso.ts'

/** The smallest frame leaves the least room, and a phone has the largest targets. */
/** Long words, another script and another direction. */
const FEW_LANGUAGES = rowsFor<Language>(
  ['de', 'fr', 'ar'],
  LANGUAGES.filter((language) => !['de', 'fr', 'ar'].includes(language)),
)
const SIZES = rowsFor(['320x180', '375x667'], ['375x211', '480x270', '640x360', '1280x720'])

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

interface ScreensApp extends SsoApp {
  readonly flows: FlowStore
}

async function startApp(): Promise<ScreensApp> {
  let flows: FlowStore | undefined
  const settings = { label: 'Contoso Identity Services', hasCode: true }
  const brand = BRANDS['square logo']
  const app = await startSso({
    settings,
    changeSso: (sso) => {
      flows = sso.flows
      return sso
    },
    entryPointsWith: (sso) => [
      withSso(sso, { ...ENTRY_POINT, brand }),
      withSso({ ...sso, isOnly: true }, entryPointAt('only', { brand })),
    ],
  })
  if (flows === undefined) throw new Error('Single sign-on was not opened')
  return { ...app, flows }
}

/** Returns the screen with the longest reason of a window that refused. */
async function refusedScreen({ flows, ...app }: ScreensApp, language: string, path: string): Promise<string> {
  const lengthOf = (refusal: RefusedSignIn['refusal']) => errorText(language, textOfRefusal(refusal)).length
  const [refusal = 'refused'] = [...FRAME_REFUSALS].sort((one, other) => lengthOf(other) - lengthOf(one))
  const wait = randomText()
  await flows.put(RESULT, digestOf(wait), { entryPoint: path === '' ? 'default' : 'only', refusal })
  const screen = await app.post(`${path}/sso/continue`, { wait }, { 'Accept-Language': language })
  expect(screen.status).toBeGreaterThanOrEqual(403)
  return screen.text
}

/** Returns every screen of the frame with single sign-on, in one language. */
async function screensIn(app: ScreensApp, language: string): Promise<Screen[]> {
  const headers = { 'Accept-Language': language }
  const screens: Screen[] = []
  for (const path of ['', '/e/only']) {
    const fresh = await app.get(path || '/', headers)
    const wait = fieldOf(fresh, 'wait')
    const early = await app.post(`${path}/sso/continue`, { wait }, headers)
    const signedOut = await app.get(`${path || '/'}?prompt=signed-out`, headers)
    screens.push(
      { name: `${language}${path}: fresh`, html: fresh.text },
      { name: `${language}${path}: not yet`, html: early.text },
      { name: `${language}${path}: refused`, html: await refusedScreen(app, language, path) },
      { name: `${language}${path}: signed out`, html: signedOut.text },
    )
    const wrongCode = await app.post(`${path}/sso/code`, { code: 'x' }, { ...headers, 'X-Forwarded-For': language })
    screens.push(
      { name: `${language}${path}: code`, html: (await app.get(`${path || '/'}?prompt=code`, headers)).text },
      { name: `${language}${path}: wrong code`, html: wrongCode.text },
    )
    if (path !== '') continue
    const refused = await app.post('/sign-in', { username: LONG_NAME, password: 'x' }, headers)
    screens.push(
      { name: `${language}: password form`, html: (await app.get('/?prompt=password', headers)).text },
      { name: `${language}: wrong password`, html: refused.text },
    )
    const signedIn = await app.post('/sign-in', { username: ADA.username, password: ADA.password })
    const Cookie = signedIn.setCookies[0]?.split(';')[0] ?? ''
    screens.push({
      name: `${language}: welcome back`,
      html: (await app.get('/?prompt=login', { ...headers, Cookie })).text,
    })
  }
  return screens
}

test('every screen with single sign-on fits its frame: nothing scrolls, is cut off or overlaps', async () => {
  const app = await startApp()
  const { page } = await browser.openPage()
  await page.goto(`${app.origin}/`)
  const screens = (await Promise.all(FEW_LANGUAGES.map((language) => screensIn(app, language)))).flat()
  const faults: string[] = []
  for (const size of SIZES) {
    const [width = 0, height = 0] = size.split('x').map(Number)
    await page.setViewport({ width, height })
    const rules = { leastTarget: size === '375x667' ? 44 : 24, mostScroll: 0 }
    const found = await findGeometryFaults(
      page,
      screens.map(({ html }) => html),
      rules,
    )
    faults.push(...found.flatMap((list, index) => list.map((fault) => `${size} ${screens[index]?.name}: ${fault}`)))
  }
  expect(faults).toEqual([])
  await page.close()
})

test('axe finds no violation on the screens and in the window of single sign-on', async () => {
  const app = await startApp()
  const { page } = await browser.openPage()
  const addresses = ['/', '/?prompt=signed-out', '/e/only', '/?prompt=code', '/sso', '/sso/callback?state=x']
  const violations: Record<string, string[]> = {}
  for (const address of addresses) {
    await page.goto(`${app.origin}${address}`)
    violations[address] = await findViolations(page)
  }
  expect(violations).toEqual(Object.fromEntries(addresses.map((address) => [address, []])))
  await page.close()
})
