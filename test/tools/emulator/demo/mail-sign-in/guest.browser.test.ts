import { expect, test } from 'vitest'
import { type BrowserKind, launchBrowser } from '../../../../browser/launch.ts'
import { press, typeText } from '../../../../browser/press-and-type.ts'
import { rowsFor } from '../../../../rows.ts'
import { waitUntilPlaying } from '../../player/viewer.ts'
import { startDemo, stopDemo, temporaryFolder } from '../demo-program.ts'

const KINDS = rowsFor<BrowserKind>(['chromium'], ['chromium-no-cookies', 'firefox'])
const GUEST = 'guest@example.com'

test.each(KINDS)('in %s, a guest of the demo reads the code on the page of mails, watches, and chats', async (kind) => {
  const folder = await temporaryFolder()
  const demo = startDemo({ DEMO_DATA_FOLDER: folder.path })
  try {
    await demo.running
    const find = (pattern: RegExp) => pattern.exec(demo.printed())?.[0] ?? ''
    const guestPage = find(/http:\/\/page\.localhost:\d+\/channel\/1400/)
    const mails = find(/http:\/\/127\.0\.0\.1:\d+\/#mails/)
    const service = new URL(mails).origin
    const login = find(/http:\/\/localhost:\d+\//)
    const launched = await launchBrowser(kind)
    const { page, waitForFrame, complaints } = await launched.openPage()
    const mailsNow = async () => (await (await fetch(mails)).text()).split('class="mail"').slice(1)
    /** Types the address, and the code of the newest mail, in the frame of the player or chat. */
    const signIn = async (mailsBefore: number) => {
      const form = await waitForFrame(`${login}e/guests`)
      await typeText(form, '#mail', GUEST)
      await press(form, '.fields .primary')
      const codeForm = await waitForFrame(`${login}e/guests/mail-code`)
      await expect.poll(async () => (await mailsNow()).length, { timeout: 10_000 }).toBe(mailsBefore + 1)
      const [newest = ''] = await mailsNow()
      await typeText(codeForm, '#code', /^[2-9A-Z]{4}-[2-9A-Z]{4}$/m.exec(newest)?.[0] ?? '')
      await press(codeForm, '.fields .primary')
    }
    await page.goto(guestPage)
    const player = await waitForFrame(`${service}/embed/`)
    await press(player, '[data-log-in]')
    await signIn(0)
    await waitUntilPlaying(player)

    await page.goto(`${service}/chat/1400`)
    await press(page.mainFrame(), '[data-log-in]')
    // The session of the player does not reach the chat, which is at the top of another site here.
    await signIn(1)
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
