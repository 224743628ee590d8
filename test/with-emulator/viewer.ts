import type { Frame } from 'puppeteer-core'
import { expect, onTestFinished } from 'vitest'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { press, pressKey, typeText } from '../browser/press-and-type.ts'
import { launchWebKit, type WebKit, type WebKitKind } from '../browser/webkit.ts'

export type Kind = BrowserKind | WebKitKind

/** What a viewer visits. */
export interface VisitedSites {
  /** Returns the address of the customer's page with a page of the video service, such as `embed/1001`. */
  pageOf(content: string): string
  /** True if the player shows the login app after a press on its button. */
  readonly hasLoginButton: boolean
  readonly service: string
  readonly login: string
  readonly issuer?: string
  /** The beginning of the address at which the frame of a viewer who may watch arrives. */
  readonly passed: string
}

/** A viewer in front of the customer's page, in any browser. */
export interface Viewer {
  /** Opens the page with a player or a chat, such as `embed/1001`, and the login app in it. */
  openLogin(content: string): Promise<void>
  reload(): Promise<void>
  press(selector: string): Promise<unknown>
  type(selector: string, text: string): Promise<unknown>
  /** Waits until the login app shows the element, and returns its text. */
  textOf(selector: string): Promise<string>
  /** Chooses an account in the window of the provider. */
  choose(person: string): Promise<void>
  goBack(): Promise<void>
  countWindows(): Promise<number>
  untilPlaying(): Promise<unknown>
  untilPlayerShows(selector: string): Promise<unknown>
  untilPlayerSays(text: string): Promise<unknown>
  /** Waits until the login app has passed a response or token to the player. */
  untilPassed(): Promise<unknown>
  complaints(): readonly string[]
  leave(): Promise<void>
}

/** The browsers of one test file, each started with its first viewer. */
const POSITION = `document.querySelector('video').currentTime`
const PLAYER_TEXT = `document.querySelector('main').textContent`
const PATIENCE = { timeout: 20_000, interval: 50 }

export function isWebKit(kind: Kind): kind is WebKitKind {
  return kind.startsWith('webkit')
}

/** The browsers of one test file, each started with its first viewer. */
export function openBrowsers() {
  const started = new Map<Kind, Promise<LaunchedBrowser | WebKit>>()
  function opener<K extends Kind, B extends LaunchedBrowser | WebKit>(launch: (kind: K) => Promise<B>) {
    return (kind: K): Promise<B> => {
      const browser = (started.get(kind) as Promise<B> | undefined) ?? launch(kind)
      started.set(kind, browser)
      return browser
    }
  }
  const open = opener(launchBrowser)
  const openWebKit = opener(launchWebKit)
  return {
    open,
    openWebKit,
    /** Sends a new viewer to the sites. The viewer leaves at the end of the test, before the sites stop. */
    async arrive(kind: Kind, sites: VisitedSites): Promise<Viewer> {
      const viewer = isWebKit(kind)
        ? arriveInWebKit(await openWebKit(kind), sites)
        : await arriveIn(await open(kind), sites, !kind.endsWith('no-scripts'))
      onTestFinished(() => viewer.leave())
      return viewer
    },
    async close() {
      for (const browser of started.values()) await (await browser).close()
    },
  }
}

/**
 * A viewer in Chromium or Firefox.
 * @param hasScripts false for a browser whose pages run no scripts.
 */
async function arriveIn(
  { browser, openPage }: LaunchedBrowser,
  sites: VisitedSites,
  hasScripts: boolean,
): Promise<Viewer> {
  const before = (await browser.pages()).length
  const { page, waitForFrame, complaints } = await openPage()
  const login = () => waitForFrame(sites.login)
  const go = hasScripts ? press : pressKey
  let place = ''
  const player = (): Promise<Frame> => waitForFrame(`${sites.service}/${place}`)
  return {
    async openLogin(content) {
      place = content.replace(/\?.*/, '')
      await page.goto(sites.pageOf(content))
      if (sites.hasLoginButton) await press(await player(), '[data-log-in]')
    },
    reload: async () => void (await page.reload()),
    press: async (selector) => go(await login(), selector),
    type: async (selector, text) => typeText(await login(), selector, text),
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
    untilPlaying: async () => (await player()).waitForFunction(`${POSITION} > 0.3`),
    untilPlayerShows: async (selector) => (await player()).waitForSelector(selector, { visible: true }),
    untilPlayerSays: async (text) => (await player()).waitForFunction(`${PLAYER_TEXT}.includes('${text}')`),
    untilPassed: () => waitForFrame(sites.passed),
    complaints: () => complaints,
    async leave() {
      for (const one of (await browser.pages()).slice(before)) await one.close()
    },
  }
}

/** A viewer in WebKit, whose tests share one window. */
function arriveInWebKit(webkit: WebKit, sites: VisitedSites): Viewer {
  let opened = ''
  const enterPlayer = async () => {
    await webkit.enterWindow(sites.pageOf(''))
    await webkit.enterFrame(null)
    await webkit.enterFrame('iframe')
  }
  return {
    async openLogin(content) {
      opened = sites.pageOf(content)
      await this.reload()
      if (!sites.hasLoginButton) return
      await webkit.press('[data-log-in]')
      await webkit.enterFrame('[data-sign-in] iframe')
    },
    async reload() {
      await webkit.open(opened)
      await webkit.enterFrame('iframe')
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
      if (sites.hasLoginButton) await webkit.enterFrame('[data-sign-in] iframe')
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
    async untilPlayerSays(text) {
      await enterPlayer()
      await expect.poll(() => webkit.evaluate(PLAYER_TEXT), PATIENCE).toContain(text)
    },
    untilPassed: () => webkit.arriveAt(sites.passed),
    complaints: () => [],
    leave: webkit.startAgain,
  }
}

function buttonOf(person: string): string {
  return `button[value="${person}@lakeside.example"]`
}
