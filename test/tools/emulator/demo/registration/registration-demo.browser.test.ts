import { expect, test } from 'vitest'
import { type BrowserKind, launchBrowser } from '../../../../browser/launch.ts'
import { press, pressKey, typeText } from '../../../../browser/press-and-type.ts'
import { rowsFor } from '../../../../rows.ts'
import { waitUntilPlaying } from '../../player/viewer.ts'
import { startDemo, stopDemo, temporaryFolder } from '../demo-program.ts'

const KINDS = rowsFor<BrowserKind>(['chromium-no-cookies'], ['chromium', 'firefox'])
const GUEST = 'guest@example.com'

test.each(KINDS)('in %s, a guest of the demo registers, watches, and chats', async (kind) => {
  const folder = await temporaryFolder()
  const demo = startDemo({ DEMO_DATA_FOLDER: folder.path })
  try {
    await demo.running
    const find = (pattern: RegExp) => pattern.exec(demo.printed())?.[0] ?? ''
    const mails = find(/http:\/\/127\.0\.0\.1:\d+\/#mails/)
    const service = new URL(mails).origin
    const entryPoint = `${find(/http:\/\/localhost:\d+\//)}e/registration`
    const launched = await launchBrowser(kind)
    const { page, waitForFrame, complaints } = await launched.openPage()
    const codes = async () => (await (await fetch(mails)).text()).match(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/gm) ?? []
    /** Types the address and its code in the frame of the player or chat. */
    const prove = async (codesBefore: number) => {
      await press(await waitForFrame(entryPoint), 'a[href*="/register"]')
      const form = await waitForFrame(`${entryPoint}/register`)
      await typeText(form, '#address', GUEST)
      await press(form, '.fields .primary')
      await expect.poll(async () => (await codes()).length, { timeout: 10_000 }).toBe(codesBefore + 1)
      const codeForm = await waitForFrame(`${entryPoint}/register`)
      await codeForm.waitForSelector('#code')
      // The newest mail is the first.
      await typeText(codeForm, '#code', (await codes())[0] ?? '')
      await press(codeForm, '.fields .primary')
    }
    await page.goto(find(/http:\/\/page\.localhost:\d+\/channel\/1600/))
    const player = await waitForFrame(`${service}/embed/`)
    await press(player, '[data-log-in]')
    await prove(0)
    const first = await waitForFrame(`${entryPoint}/register/code`)
    await typeText(first, '#field1', 'Acme')
    await first.select('[name="field2"]', 'Balcony')
    await press(first, '.fields .primary')
    const last = await waitForFrame(`${entryPoint}/register/fields`)
    await pressKey(last, '.check input', ' ')
    await press(last, '.fields .primary')
    await waitUntilPlaying(player)

    // In the chat, the address and a code are enough.
    await page.goto(`${service}/chat/1600`)
    await press(page.mainFrame(), '[data-log-in]')
    await prove(1)
    await page.waitForSelector('[data-conversation]', { visible: true })
    await page.type('#text', 'Hello')
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      `document.querySelector('[data-messages] li:last-child')?.innerText?.startsWith('${GUEST}')`,
    )
    expect(complaints).toEqual([])
    await launched.close()
  } finally {
    await stopDemo(demo)
    await folder.remove()
  }
})
