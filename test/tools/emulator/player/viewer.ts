import type { Frame } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import { press } from '../../../browser/press-and-type.ts'
import { rowsFor } from '../../../rows.ts'
import { SECRET, startService } from './service.ts'
import { startTinyLoginApp } from './tiny-login-app.ts'

/** The browsers in which the player must work, as shipped. */
export const BROWSERS = rowsFor<BrowserKind>(['chromium'], ['firefox'])
/** The same, keeping nothing for anybody. */
export const FORGETFUL_BROWSERS = rowsFor<BrowserKind>(['chromium-no-cookies'], ['firefox-no-cookies'])

export type Viewer = Awaited<ReturnType<typeof arrive>>

/** Brings a viewer before a fresh service, whose locks ask a login app on another site. */
export async function arrive(browser: LaunchedBrowser) {
  const login = await startTinyLoginApp(SECRET)
  let aheadSeconds = 0
  const service = await startService({
    nowSeconds: () => Math.floor(Date.now() / 1000) + aheadSeconds,
    seed: { lock: { url: login.url, secret: SECRET } },
  })
  login.returnUrl = `${service.emulator.url}/embed/hashlock/pass`
  const opened = await browser.openPage()
  const { page, waitForFrame } = opened
  /** Opens the customer's page, a third site, and finds the player in it. */
  const openCustomerPage = async (path: string) => {
    await page.goto(`http://page.localhost:${service.emulator.port}${path}`)
    return waitForFrame(`${service.emulator.url}/embed/`)
  }
  const loginFrame = async (visit = 1): Promise<Frame> => {
    await login.waitForVisit(visit)
    const frame = await waitForFrame(login.url)
    try {
      await frame.waitForSelector('#sign-in')
      return frame
    } catch (error) {
      // The frame of an earlier visit, which went away meanwhile.
      if (!frame.detached) throw error
      return loginFrame(visit)
    }
  }
  return {
    ...opened,
    service,
    login,
    openCustomerPage,
    loginFrame,
    async signIn(path: string) {
      const player = await openCustomerPage(path)
      await press(player, '[data-log-in]')
      await press(await loginFrame(), '#sign-in')
      await waitUntilPlaying(player)
      return player
    },
    /** Lets the service's clock run ahead. */
    passSeconds(seconds: number) {
      aheadSeconds += seconds
    },
    async leave() {
      await page.close()
      await service.close()
      await login.close()
    },
  }
}

/** Opens a browser for the tests of a file or block, and a viewer for each test, who must meet no fault. */
export function viewerForEach(kind: BrowserKind) {
  const now = {} as { browser: LaunchedBrowser; viewer: Viewer }
  beforeAll(async () => {
    now.browser = await launchBrowser(kind)
  })
  beforeEach(async () => {
    now.viewer = await arrive(now.browser)
  })
  afterEach(async () => {
    expect(now.viewer.complaints).toEqual([])
    await now.viewer.leave()
  })
  afterAll(() => now.browser.close())
  return now
}

/** Waits until the gate is in a state, and returns the sentence that it shows there. */
export async function stateOf(frame: Frame, state: string): Promise<string> {
  await frame.waitForSelector(`[data-gate][data-state="${state}"]`)
  return frame.$eval('[data-message]', (element) => element.textContent ?? '')
}

/** Waits until the video has gone on for a while; the position then, in seconds. */
export async function waitUntilPlaying(frame: Frame, forSeconds = 0.5): Promise<number> {
  await frame.waitForSelector('video')
  const position = `document.querySelector('video').currentTime`
  const before = Number(await frame.evaluate(position))
  await frame.waitForFunction(`${position} > ${before + forSeconds}`)
  return Number(await frame.evaluate(position))
}
