import type { Page } from 'puppeteer-core'
import { expect, test } from 'vitest'
import { findViolations } from '../../../browser/find-violations.ts'
import { type BrowserKind, launchBrowser } from '../../../browser/launch.ts'
import { pressKey, typeText } from '../../../browser/press-and-type.ts'
import { rowsFor } from '../../../rows.ts'
import { startMailServer } from '../../../services/mail/mail-server.ts'
import { mailEnvironment, startWithCommands } from '../../manager/real-entry-point.ts'
import { codeOf, PASSWORD } from '../../manager/start-manager.ts'

const EVE = 'eve@example.com'
const DESK = 'desk@example.com'
const NEW = 'seven green lanterns'
const KINDS = rowsFor<readonly [BrowserKind, number]>(
  [['chromium-no-scripts', 375]],
  [
    ['chromium', 1280],
    ['firefox', 375],
    ['firefox-no-scripts', 1280],
  ],
)

/** Presses a link or button with the keyboard, and waits for the page that it leads to. */
async function go(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation({ waitUntil: 'domcontentloaded' }), pressKey(page.mainFrame(), selector)])
}

const textOf = (page: Page, selector: string) =>
  page.mainFrame().$eval(selector, (element) => element.textContent ?? '')

test.each(KINDS)(
  'a colleague is invited, joins and is reset with the keyboard alone, in %s, %i wide',
  async (kind, width) => {
    const mails = await startMailServer()
    const manager = await startWithCommands({}, mailEnvironment(mails))
    manager.clock.seconds = Date.now() / 1000
    manager.store.add({ name: EVE, role: 'event-manager', entryPoints: null }, PASSWORD)
    const launched = await launchBrowser(kind)
    try {
      const { page, complaints } = await launched.openPage()
      await page.setViewport({ width, height: 800 })
      const frame = page.mainFrame()
      const violations: string[] = []
      const type = (selector: string, text: string) => typeText(frame, selector, text)
      // axe needs scripts, and its colors Chromium.
      const look = async () => void violations.push(...(kind === 'chromium' ? await findViolations(page) : []))
      /** Sets up the second step, and returns its secret. */
      async function setUpStep(): Promise<string> {
        const secret = (await textOf(page, '.secret')).replaceAll(' ', '')
        await type('#code', codeOf(secret, manager.clock.seconds))
        await go(page, 'form .main')
        return secret
      }
      await page.goto(`${manager.origin}/sign-in`)
      await type('#name', EVE)
      await type('#password', PASSWORD)
      await go(page, 'form .main')
      const secret = await setUpStep()
      const code = () => {
        manager.clock.seconds += 60
        return codeOf(secret, manager.clock.seconds)
      }

      await go(page, 'nav a[href="/colleagues"]')
      await type('#name', DESK)
      await type('#code', code())
      await look()
      await go(page, 'form[action="/colleagues/invite"] .main')
      expect(await textOf(page, '.notice')).toContain(`${DESK} has an invitation`)
      await look()
      await go(page, 'header .quiet')

      const link = () => /http\S+\/join\?link=\S+/.exec(mails.mails.at(-1)?.text ?? '')?.[0] ?? ''
      await page.goto(link())
      await type('#newPassword', NEW)
      await type('#repeated', NEW)
      await look()
      await go(page, 'form .main')
      await setUpStep()
      expect(await textOf(page, '.me')).toContain(DESK)
      await go(page, 'header .quiet')

      await type('#name', EVE)
      await type('#password', PASSWORD)
      await go(page, 'form .main')
      await type('#code', code())
      await go(page, 'form .main')
      await go(page, 'nav a[href="/colleagues"]')
      await pressKey(frame, '.rows summary')
      await type('.rows input[name="code"]', code())
      await look()
      await go(page, 'form[action="/colleagues/reset"] .danger')
      expect(await textOf(page, '.notice')).toContain(`${DESK} is logged out`)
      expect(manager.store.find(DESK)?.stepSecret).toBeNull()
      expect(violations).toEqual([])
      expect(complaints).toEqual([])
      expect(manager.faults).toEqual([])
    } finally {
      await launched.close()
    }
  },
)
