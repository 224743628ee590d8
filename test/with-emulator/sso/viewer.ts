import type { Frame } from 'puppeteer-core'
import { expect } from 'vitest'
import type { LaunchedBrowser } from '../../browser/launch.ts'
import { press, pressKey, type } from '../../browser/press-and-type.ts'
import type { WebKit } from '../../browser/webkit.ts'
import type { Sites } from './four-sites.ts'

/** A viewer in front of the customer's page, in any browser. */
export interface Viewer {
  /** Opens the page with a player or a chat, such as `embed/1001`, and the login app in it. */
  openLogin(content: string): Promise<void>
  /** Presses a button of the login app. */
  press(selector: string): Promise<unknown>
  type(selector: string, text: string): Promise<unknown>
  /** Waits until the login app shows the element, and returns its text. */
  textOf(selector: string): Promise<string>
  /** Chooses an account in the window of the provider. */
  choose(person: string): Promise<void>
  /** Goes back from the window to the frame. */
  goBack(): Promise<void>
  /** Returns the number of windows and tabs. */
  countWindows(): Promise<number>
  /** Waits until the player in the page plays. */
  untilPlaying(): Promise<unknown>
  /** Waits until the player or chat in the page shows the element. */
  untilPlayerShows(selector: string): Promise<unknown>
  /** Waits until the frame has passed a response to the return address. */
  untilPassed(): Promise<unknown>
  /** Returns the faults that the browser reports. */
  complaints(): readonly string[]
  leave(): Promise<void>
}

const POSITION = `document.querySelector('video').currentTime`
const PATIENCE = { timeout: 20_000, interval: 50 }

/**
 * A viewer in Chromium or Firefox.
 * @param hasScripts false for a browser whose pages run no scripts.
 */
export async function arriveIn(
  { browser, openPage }: LaunchedBrowser,
  sites: Sites,
  hasScripts = true,
): Promise<Viewer> {
  const before = (await browser.pages()).length
  const { page, waitForFrame, complaints } = await openPage()
  const login = () => waitForFrame(sites.login)
  const go = hasScripts ? press : pressKey
  let player: Frame
  return {
    async openLogin(content) {
      await page.goto(sites.pageOf(content))
      if (!sites.hasPlayer) return
      player = await waitForFrame(`${sites.service}/${content}`)
      await press(player, '[data-log-in]')
    },
    press: async (selector) => go(await login(), selector),
    type: async (selector, text) => type(await login(), selector, text),
    async textOf(selector) {
      const element = await (await login()).waitForSelector(selector, { visible: true })
      return (await element?.evaluate(({ textContent }) => textContent)) ?? ''
    },
    async choose(person) {
      const target = await browser.waitForTarget((one) => one.url().startsWith(`${sites.issuer}/interaction/`))
      const window = (await target.page()) ?? expect.unreachable('The window has no page')
      await go(window.mainFrame(), buttonOf(person))
    },
    goBack: () => page.bringToFront(),
    countWindows: async () => (await browser.pages()).length - before,
    untilPlaying: () => player.waitForFunction(`${POSITION} > 0.3`),
    untilPlayerShows: (selector) => player.waitForSelector(selector, { visible: true }),
    untilPassed: () => waitForFrame(`${sites.service}/embed/hashlock/pass?hash=%5B%7B`),
    complaints: () => complaints,
    async leave() {
      for (const one of (await browser.pages()).slice(before)) await one.close()
    },
  }
}

/** A viewer in WebKit, whose tests share one window. */
export function arriveInWebKit(webkit: WebKit, sites: Sites): Viewer {
  const enterPlayer = async () => {
    await webkit.enterWindow(sites.pageOf(''))
    await webkit.enterFrame(null)
    await webkit.enterFrame('iframe')
  }
  return {
    async openLogin(content) {
      await webkit.open(sites.pageOf(content))
      await webkit.enterFrame('iframe')
      if (!sites.hasPlayer) return
      await webkit.press('[data-log-in]')
      await webkit.enterFrame('[data-sign-in] iframe')
    },
    press: webkit.press,
    type: webkit.type,
    textOf: webkit.textOf,
    async choose(person) {
      await webkit.enterWindow(`${sites.issuer}/interaction/`)
      await webkit.press(buttonOf(person))
    },
    async goBack() {
      await enterPlayer()
      if (sites.hasPlayer) await webkit.enterFrame('[data-sign-in] iframe')
    },
    countWindows: webkit.countWindows,
    async untilPlaying() {
      await enterPlayer()
      await expect.poll(() => webkit.evaluate(POSITION), PATIENCE).toBeGreaterThan(0.3)
    },
    async untilPlayerShows(selector) {
      await enterPlayer()
      await webkit.textOf(selector)
    },
    untilPassed: () => webkit.arriveAt(`${sites.service}/embed/hashlock/pass?hash=%5B%7B`),
    complaints: () => [],
    async leave() {
      while ((await webkit.countWindows()) > 1) {
        await webkit.enterWindow('')
        await webkit.closeWindow()
      }
      await webkit.enterWindow('')
      await webkit.open('about:blank')
    },
  }
}

function buttonOf(person: string): string {
  return `button[value="${person}@lakeside.example"]`
}
