import type { Frame } from 'puppeteer-core'
import { expect, test } from 'vitest'
import { textsOf } from '../../../src/languages/languages.ts'
import { type BrowserKind, launchBrowser } from '../../browser/launch.ts'
import { pressKey, typeText } from '../../browser/press-and-type.ts'
import { goesOn, signIn } from '../../login/signed-in.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startSites } from '../../login/start-sites.ts'
import { rowsFor } from '../../rows.ts'
import { withScreenLimit } from './entry-point.ts'
import { expectOther, returnOf } from './visits.ts'

const KINDS = rowsFor<BrowserKind>(
  ['chromium', 'firefox-no-cookies'],
  ['chromium-no-cookies', 'chromium-no-scripts', 'firefox', 'firefox-no-scripts'],
)
const PATIENCE = { timeout: 20_000, interval: 20 }
const { title, stopped, instead } = textsOf('en')['screen-limit']

/** Returns the title and the alert of a screen. Asks from outside, since a page without scripts cannot wait. */
async function textsIn(screen: Frame): Promise<(string | null)[]> {
  const textIn = (selector: string) => screen.$eval(selector, ({ textContent }) => textContent)
  return await Promise.all([textIn('h1'), textIn('[role="status"]')]).catch(() => [])
}

test.each(KINDS)('a viewer in %s learns of the other device, and watches here', async (kind) => {
  const browser = await launchBrowser(kind)
  const { app, login, player } = await startSites('/', '', { change: (one) => withScreenLimit(one, { asks: true }) })
  const passed = `${player}/embed/hashlock/pass?hash=%5B%7B`
  const otherDevice = await signIn(app)
  const { page, waitForFrame, complaints } = await browser.openPage()
  await page.goto(player)
  const screen = await waitForFrame(login)
  await typeText(screen, '#username', ADA.username)
  await typeText(screen, '#password', ADA.password)
  await pressKey(screen, '#sign-in .primary')
  // With a script, the screen arrives at the same address.
  await expect.poll(async () => textsIn(await waitForFrame(login)), PATIENCE).toEqual([title, instead])
  await pressKey(await waitForFrame(login), '.primary')
  await waitForFrame(passed)
  expectOther(await returnOf(app, otherDevice))
  if (!kind.endsWith('no-cookies')) {
    expect(goesOn(await app.post('/watch-here', {}, { Cookie: otherDevice, 'Sec-Fetch-Site': 'same-origin' }))).toBe(
      true,
    )
    await page.goto(player)
    await expect.poll(async () => textsIn(await waitForFrame(login)), PATIENCE).toEqual([title, stopped])
    await pressKey(await waitForFrame(login), '.primary')
    await waitForFrame(passed)
  }
  expect(complaints).toEqual([])
  await browser.close()
})
