import type { Browser, Frame, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { press, pressKey } from '../browser/press-and-type.ts'
import { startSite } from '../login/start-site.ts'
import { startSso, until } from './start-sso.ts'

/** As Entra ID sends them. */
const PROVIDER_HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'X-Frame-Options': 'DENY' }

const GRANTS = 'allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox'

/** The app, a player that frames it, and a provider that cuts the opener, on three origins. */
async function startSites({ sandbox = '', hasScript = true } = {}) {
  let login = ''
  const player = await startSite(
    () => `<!doctype html><title>Player</title><iframe ${sandbox} width="480" height="270" src="${login}/"></iframe>`,
  )
  const app = await startSso({
    provider: { headers: PROVIDER_HEADERS, signsIn: null },
    entryPoint: {
      hasScript,
      playerAddress: parsePlayerAddress(`${player}/embed/hashlock/pass`),
      playerOrigins: [player],
    },
  })
  login = app.origin
  const isSignedIn = () => app.lines.some(({ outcome }) => outcome === 'sso-signed-in')
  return { login, player, isSignedIn, arrived: `${player}/embed/hashlock/pass?hash=%5B%7B%22user%22%3A%22ada` }
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

    test('a viewer signs in in a window, and a sandboxed frame without a script goes on after a press', async () => {
      const { login, player, isSignedIn, arrived } = await startSites({
        sandbox: `sandbox="${GRANTS}"`,
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

    test('with its script, the frame goes on by itself, and the window closes', async () => {
      const { login, player, arrived } = await startSites()
      const { page, waitForFrame, complaints, screen } = await openFrame(player, login)
      const window = await windowOpenedBy(launched.browser, () => press(screen, '#sso-start .primary'))
      const closed = new Promise((resolve) => window.once('close', resolve))
      await signInAtProvider(window)
      await closed
      await waitForFrame(arrived)
      expect(complaints).toEqual([])
      await page.close()
    })
  },
)
