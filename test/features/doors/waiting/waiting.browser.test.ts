import { expect, test } from 'vitest'
import { parsePlayerAddress } from '../../../../src/hash-lock/return-address.ts'
import { textsOf } from '../../../../src/languages/languages.ts'
import { type BrowserKind, launchBrowser } from '../../../browser/launch.ts'
import { pressKey, typeText } from '../../../browser/press-and-type.ts'
import { launchWebKit, type WebKitKind } from '../../../browser/webkit.ts'
import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { responseOf } from '../../../login/response-of.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { startPlayerSite } from '../../../login/start-site.ts'
import { rowsFor } from '../../../rows.ts'
import { freePort } from '../../../servers/free-port.ts'
import { withDoors } from '../entry-point.ts'
import { startWaiting, WAITING } from './waiting.ts'

const PATIENCE = { timeout: 20_000, interval: 20 }
const { overTitle } = textsOf('en').doors

/** A busy browser needs this time to send the form before the door opens. The wait page reloads when it opens. */
const SOON_SECONDS = 4

/** Starts the app and a player that frames it. The door opens in an hour. */
async function startEvening() {
  let login = ''
  const player = await startPlayerSite(() => `<iframe width="480" height="270" src="${login}/"></iframe>`)
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const port = await freePort()
  login = `http://localhost:${port}`
  const nowSeconds = () => Date.now() / 1000
  const windows = [{ opensAtSeconds: nowSeconds() + 3600, closesAtSeconds: nowSeconds() + 7200 }]
  const app = await startWaiting({
    publicUrl: login,
    port,
    nowSeconds,
    entryPoints: [withDoors({ ...ENTRY_POINT, playerAddress, playerOrigins: [player] }, { ...WAITING, windows })],
  })
  /** Replaces the window. Seconds from now on. */
  const openIn = (seconds: number, end = 3600) =>
    void windows.splice(0, 1, { opensAtSeconds: nowSeconds() + seconds, closesAtSeconds: nowSeconds() + end })
  return { app, login, player, openIn, passed: `${player}/embed/hashlock/pass?hash=%5B%7B` }
}

function expectPassed(address: string): void {
  expect(responseOf(address).parameters).toEqual([['user', ADA.username]])
}

async function waitInBrowser(kind: BrowserKind): Promise<void> {
  const { app, login, player, openIn, passed } = await startEvening()
  const launched = await launchBrowser(kind)
  try {
    const { page, waitForFrame, complaints } = await launched.openPage()
    const type = async () => {
      const screen = await waitForFrame(login)
      await typeText(screen, '#username', ADA.username)
      await typeText(screen, '#password', ADA.password)
      return () => pressKey(screen, '#sign-in .primary')
    }
    await page.goto(player)
    const press = await type()
    openIn(SOON_SECONDS)
    await press()
    await waitForFrame(`${login}/wait?pass=`)
    openIn(3)
    expectPassed((await waitForFrame(passed)).url())
    expect(app.users.asked).toHaveLength(1)
    // Only this browser keeps the session in the frame of another site.
    if (kind === 'chromium') {
      openIn(3600)
      await page.goto(player)
      // Asks for the frame each time, because a frame that still goes away has the same address.
      const reason = async () =>
        (await waitForFrame(login)).$eval('meta[name="reason"]', (meta) => meta.getAttribute('content'))
      await expect.poll(reason, PATIENCE).toBe('waiting')
    }
    openIn(-10, -5)
    await page.goto(player)
    /** Asks from outside, since a page without scripts cannot wait. */
    const title = async () =>
      (await waitForFrame(login)).$eval('h1', ({ textContent }) => textContent).catch(() => null)
    await expect.poll(title, PATIENCE).not.toBeNull()
    if ((await title()) !== overTitle) await (await type())()
    await expect.poll(title, PATIENCE).toBe(overTitle)
    expect(complaints).toEqual([])
  } finally {
    await launched.close()
  }
}

async function waitInWebKit(kind: WebKitKind): Promise<void> {
  const { login, player, openIn, passed } = await startEvening()
  const browser = await launchWebKit(kind)
  try {
    const type = async () => {
      await browser.open(player)
      await browser.enterFrame('iframe')
      await browser.type('#username', ADA.username)
      await browser.type('#password', ADA.password)
    }
    await type()
    openIn(SOON_SECONDS)
    await browser.press('#sign-in .primary')
    await browser.arriveAt(`${login}/wait?pass=`)
    openIn(3)
    expectPassed(await browser.arriveAt(passed))
    openIn(-10, -5)
    await type()
    await browser.press('#sign-in .primary')
    await expect.poll(() => browser.textOf('h1'), PATIENCE).toBe(overTitle)
  } finally {
    await browser.close()
  }
}

const SETS = rowsFor<{ browser: BrowserKind; webKit: WebKitKind }>(
  [{ browser: 'firefox-no-cookies', webKit: 'webkit-no-scripts' }],
  [
    { browser: 'chromium-no-cookies', webKit: 'webkit' },
    { browser: 'chromium-no-scripts', webKit: 'webkit-no-scripts' },
    { browser: 'firefox', webKit: 'webkit' },
    { browser: 'firefox-no-scripts', webKit: 'webkit-no-scripts' },
  ],
)

// All browsers at once: they wait for the door.
test.each(SETS)(
  'a viewer in chromium, $browser and $webKit waits in a frame, passes when the moved door opens, and learns of the end',
  async ({ browser, webKit }) => {
    await Promise.all([waitInBrowser('chromium'), waitInBrowser(browser), waitInWebKit(webKit)])
  },
)
