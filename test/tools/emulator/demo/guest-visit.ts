import type { Frame } from 'puppeteer-core'
import { expect, onTestFinished } from 'vitest'
import { type BrowserKind, launchBrowser } from '../../../browser/launch.ts'
import { press, pressKey, typeText } from '../../../browser/press-and-type.ts'
import { launchWebKit } from '../../../browser/webkit.ts'
import { waitUntilPlaying } from '../player/viewer.ts'
import { homePageOf, startDemo, stopDemo, temporaryFolder } from './demo-program.ts'

/** The browsers of guests. */
export type GuestBrowser = BrowserKind | 'webkit'

/** A guest in a browser: first in the frame of the login app, then in the player or the chat. */
interface Guest {
  type(selector: string, text: string): Promise<unknown>
  press(selector: string): Promise<unknown>
  check(selector: string): Promise<unknown>
  choose(selector: string, value: string): Promise<unknown>
  /** Opens the customer's page of a channel, and the login app in its player. */
  openPlayer(channel: string): Promise<unknown>
  untilPlaying(): Promise<unknown>
  /** Opens the chat of a channel, and the login app. The session of the player does not reach this site. */
  openChat(channel: string): Promise<unknown>
  /** Writes in the chat, which shows the name of the guest. */
  chatAs(name: string): Promise<unknown>
  complaints(): readonly string[]
}

interface Sites {
  readonly pageOf: (channel: string) => string
  readonly service: string
  readonly entryPoint: string
}

const LAST_MESSAGE = `document.querySelector('[data-messages] li:last-child')?.innerText ?? ''`
const PATIENCE = { timeout: 20_000, interval: 50 }

/** Starts the demo and a browser until the test ends, for a guest who comes by one entry point. */
export async function visitDemo(kind: GuestBrowser, entryPoint: string) {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const demo = startDemo({ DEMO_DATA_FOLDER: folder.path })
  onTestFinished(async () => void (await stopDemo(demo)))
  await demo.running
  const shown = demo.printed() + (await homePageOf(demo))
  /** Returns what the demo printed, or shows on the home page of the service. */
  const find = (pattern: RegExp) => pattern.exec(shown)?.[0] ?? ''
  const sites = {
    pageOf: (channel: string) => find(new RegExp(`http://page\\.localhost:\\d+/channel/${channel}`)),
    service: find(/http:\/\/127\.0\.0\.1:\d+/),
    entryPoint: `${find(/http:\/\/localhost:\d+\//)}e/${entryPoint}`,
  }
  async function codes(): Promise<readonly string[]> {
    return (await homePageOf(demo)).match(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/gm) ?? []
  }
  return {
    ...(await (kind === 'webkit' ? arriveInWebKit(sites) : arrive(kind, sites))),
    find,
    /** Waits for this many codes in the mails of the demo, and returns the newest. */
    async newestCode(count: number): Promise<string> {
      await expect.poll(async () => (await codes()).length).toBe(count)
      return (await codes())[0] ?? ''
    },
  }
}

async function arrive(kind: BrowserKind, { pageOf, service, entryPoint }: Sites): Promise<Guest> {
  const launched = await launchBrowser(kind)
  onTestFinished(() => launched.close())
  const { page, waitForFrame, complaints } = await launched.openPage()
  const login = () => waitForFrame(entryPoint)
  const player = (): Promise<Frame> => waitForFrame(`${service}/embed/`)
  return {
    type: async (selector, text) => typeText(await login(), selector, text),
    press: async (selector) => press(await login(), selector),
    check: async (selector) => pressKey(await login(), selector, ' '),
    choose: async (selector, value) => (await login()).select(selector, value),
    async openPlayer(channel) {
      await page.goto(pageOf(channel))
      await press(await player(), '[data-log-in]')
    },
    untilPlaying: async () => waitUntilPlaying(await player()),
    async openChat(channel) {
      await page.goto(`${service}/chat/${channel}`)
      await press(page.mainFrame(), '[data-log-in]')
    },
    async chatAs(name) {
      await page.waitForSelector('[data-conversation]', { visible: true })
      await page.type('#text', 'Hello')
      await page.keyboard.press('Enter')
      await page.waitForFunction(`(${LAST_MESSAGE}).startsWith('${name}')`)
    },
    complaints: () => complaints,
  }
}

async function arriveInWebKit({ pageOf, service }: Sites): Promise<Guest> {
  const webkit = await launchWebKit('webkit')
  onTestFinished(() => webkit.close())
  const openLogin = async () => {
    await webkit.press('[data-log-in]')
    await webkit.enterFrame('[data-sign-in] iframe')
  }
  return {
    type: webkit.type,
    press: webkit.press,
    check: webkit.press,
    choose: (selector, value) => webkit.evaluate(`document.querySelector('${selector}').value = '${value}'`),
    async openPlayer(channel) {
      await webkit.open(pageOf(channel))
      await webkit.enterFrame('iframe')
      await openLogin()
    },
    async untilPlaying() {
      await webkit.enterFrame(null)
      await webkit.enterFrame('iframe')
      const position = () => webkit.evaluate(`document.querySelector('video')?.currentTime ?? 0`)
      await expect.poll(position, PATIENCE).toBeGreaterThan(0.3)
    },
    async openChat(channel) {
      await webkit.open(`${service}/chat/${channel}`)
      await openLogin()
    },
    async chatAs(name) {
      await webkit.enterFrame(null)
      await webkit.type('#text', 'Hello')
      await webkit.press('[data-conversation] form button')
      await expect.poll(() => webkit.evaluate(LAST_MESSAGE), PATIENCE).toMatch(new RegExp(`^${name}`))
    },
    complaints: () => [],
  }
}
