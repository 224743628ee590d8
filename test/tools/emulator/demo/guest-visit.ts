import type { Frame } from 'puppeteer-core'
import { onTestFinished } from 'vitest'
import { type BrowserKind, launchBrowser } from '../../../browser/launch.ts'
import { press } from '../../../browser/press-and-type.ts'
import { startDemo, stopDemo, temporaryFolder } from './demo-program.ts'

/** Starts the demo and a browser until the test ends, for a guest who comes by one entry point. */
export async function visitDemo(kind: BrowserKind, entryPoint: string) {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const demo = startDemo({ DEMO_DATA_FOLDER: folder.path })
  onTestFinished(async () => void (await stopDemo(demo)))
  await demo.running
  const launched = await launchBrowser(kind)
  onTestFinished(() => launched.close())
  const { page, waitForFrame, complaints } = await launched.openPage()
  /** Returns what the demo printed. */
  const find = (pattern: RegExp) => pattern.exec(demo.printed())?.[0] ?? ''
  const service = find(/http:\/\/127\.0\.0\.1:\d+/)
  return {
    page,
    waitForFrame,
    complaints,
    find,
    entryPoint: `${find(/http:\/\/localhost:\d+\//)}e/${entryPoint}`,
    /** Returns the codes in the mails of the demo, the newest first. */
    async codes(): Promise<readonly string[]> {
      const mails = await (await fetch(find(/http:\/\/127\.0\.0\.1:\d+\/#mails/))).text()
      return mails.match(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/gm) ?? []
    },
    /** Opens the customer's page of a channel, and presses the button of the player. */
    async openPlayer(channel: string): Promise<Frame> {
      await page.goto(find(new RegExp(`http://page\\.localhost:\\d+/channel/${channel}`)))
      const player = await waitForFrame(`${service}/embed/`)
      await press(player, '[data-log-in]')
      return player
    },
    /** Opens the chat of a channel, and presses its button. The session of the player does not reach this site. */
    async openChat(channel: string): Promise<void> {
      await page.goto(`${service}/chat/${channel}`)
      await press(page.mainFrame(), '[data-log-in]')
    },
    /** Writes in the chat, which shows the name of the guest. */
    async chatAs(name: string): Promise<void> {
      await page.waitForSelector('[data-conversation]', { visible: true })
      await page.type('#text', 'Hello')
      await page.keyboard.press('Enter')
      await page.waitForFunction(
        `document.querySelector('[data-messages] li:last-child')?.innerText?.startsWith('${name}')`,
      )
    },
  }
}
