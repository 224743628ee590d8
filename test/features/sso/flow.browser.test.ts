import type { Browser, Frame, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import { errorText } from '../../../src/languages/languages.ts'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { press, pressKey, typeText } from '../../browser/press-and-type.ts'
import { startPlayerSite } from '../../login/start-site.ts'
import { issueCode, startSso, until } from './start-sso.ts'

/** As Entra ID sends them. */
const PROVIDER_HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'X-Frame-Options': 'DENY' }

const WITHOUT_POPUPS = 'allow-forms allow-same-origin'
const GRANTS = `${WITHOUT_POPUPS} allow-popups allow-popups-to-escape-sandbox`

/** The app, a player that frames it, and a provider that cuts the opener, on three origins. */
async function startSites({
  sandbox,
  headers,
  hasScript = true,
  hasCode = false,
}: {
  sandbox?: string
  headers?: Readonly<Record<string, string>>
  hasScript?: boolean
  hasCode?: boolean
} = {}) {
  const attribute = sandbox === undefined ? '' : `sandbox="${sandbox}"`
  let login = ''
  const player = await startPlayerSite(
    () => `<iframe ${attribute} width="480" height="270" src="${login}/"></iframe>`,
    headers,
  )
  const app = await startSso({
    provider: { headers: PROVIDER_HEADERS, signsIn: hasCode ? 'ada' : null },
    settings: { hasCode },
    entryPoint: {
      hasScript,
      playerAddress: parsePlayerAddress(`${player}/embed/hashlock/pass`),
      playerOrigins: [player],
    },
  })
  login = app.origin
  const isSignedIn = () => app.lines.some(({ outcome }) => outcome === 'sso-signed-in')
  return { app, login, player, isSignedIn, arrived: `${player}/embed/hashlock/pass?hash=%5B%7B%22user%22%3A%22ada` }
}

/** Returns the window that a press opens. */
async function windowOpenedBy(browser: Browser, work: () => Promise<void>): Promise<Page> {
  const known = new Set(browser.targets())
  await work()
  const target = await browser.waitForTarget((one) => one.type() === 'page' && !known.has(one))
  return (await target.page()) ?? expect.unreachable('The window has no page')
}

async function signInAtProvider(window: Page): Promise<void> {
  await window.waitForSelector('#ada')
  await pressKey(window.mainFrame(), '#ada')
}

describe.each(['chromium', 'firefox'] as const)(
  'single sign-on in a frame of another site, in %s',
  (kind: BrowserKind) => {
    let launched: LaunchedBrowser
    beforeAll(async () => {
      launched = await launchBrowser(kind)
    })
    afterAll(() => launched.close())

    async function openFrame(player: string, login: string) {
      const { page, waitForFrame, complaints } = await launched.openPage()
      await page.goto(player)
      const screen: Frame = await waitForFrame(login)
      await screen.waitForSelector('#sso-start .primary')
      return { page, waitForFrame, complaints, screen }
    }

    test('a viewer signs in in a window, and a sandboxed frame without a script goes on after a press, in a player with COEP', async () => {
      const { login, player, isSignedIn, arrived } = await startSites({
        sandbox: GRANTS,
        headers: { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Resource-Policy': 'cross-origin' },
        hasScript: false,
      })
      const { page, waitForFrame, complaints, screen } = await openFrame(player, login)
      const window = await windowOpenedBy(launched.browser, () => pressKey(screen, '#sso-start .primary'))
      await signInAtProvider(window)
      await until(isSignedIn)
      await page.bringToFront()
      await pressKey(screen, '#sso-continue button')
      await waitForFrame(arrived)
      expect(complaints).toEqual([])
      await page.close()
    })

    test('with its script, the frame goes on by itself, and the window closes, in a page with COOP', async () => {
      const { login, player, arrived } = await startSites({ headers: { 'Cross-Origin-Opener-Policy': 'same-origin' } })
      const { page, waitForFrame, complaints, screen } = await openFrame(player, login)
      const window = await windowOpenedBy(launched.browser, () => press(screen, '#sso-start .primary'))
      const closed = new Promise((resolve) => window.once('close', resolve))
      await signInAtProvider(window)
      await closed
      await waitForFrame(arrived)
      expect(complaints).toEqual([])
      await page.close()
    })

    test('where no window can open, the screen says what is missing, and takes the code of another device', async () => {
      const { app, login, player, arrived } = await startSites({
        sandbox: WITHOUT_POPUPS,
        hasScript: false,
        hasCode: true,
      })
      const { page, waitForFrame, screen } = await openFrame(player, login)
      await pressKey(screen, '#sso-start .primary')
      await pressKey(screen, '#sso-continue button')
      await screen.waitForSelector('[role="alert"]')
      expect(await screen.$eval('[role="alert"]', ({ textContent }) => textContent)).toBe(
        errorText('en', 'window.ssoNotYet'),
      )
      await pressKey(screen, 'a.device')
      await screen.waitForSelector('#code')
      await typeText(screen, '#code', (await issueCode(app)).code)
      await pressKey(screen, '.fields .primary')
      await waitForFrame(arrived)
      await page.close()
    })
  },
)
