import type { Page } from 'puppeteer-core'
import { expect, test } from 'vitest'
import { findViolations } from '../../../../browser/find-violations.ts'
import { launchBrowser } from '../../../../browser/launch.ts'
import { addAuthenticator } from '../../../../browser/passkey-window.ts'
import { pressKey, typeText } from '../../../../browser/press-and-type.ts'
import { codeOf, PASSWORD, startManager } from '../../../manager/start-manager.ts'

const EVE = 'eve@example.com'

/** Presses a link or button with the keyboard, and waits for the page that it leads to. */
async function go(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation({ waitUntil: 'domcontentloaded' }), pressKey(page.mainFrame(), selector)])
}

test('a manager adds a passkey and logs in with it, and without scripts the page asks for the code alone', async () => {
  // Browsers know passkeys of host names only.
  const manager = await startManager({ url: 'http://localhost' })
  const address = manager.origin.replace('127.0.0.1', 'localhost')
  manager.store.add({ name: EVE, role: 'event-manager', entryPoints: null }, PASSWORD)
  const launched = await launchBrowser('chromium')
  try {
    const { page, complaints } = await launched.openPage()
    await page.setViewport({ width: 375, height: 800 })
    await addAuthenticator(page)
    const textOf = (selector: string) => page.$eval(selector, (element) => element.textContent ?? '')
    const type = (selector: string, text: string) => typeText(page.mainFrame(), selector, text)
    async function typePassword(): Promise<void> {
      await page.goto(`${address}/sign-in`)
      await type('#name', EVE)
      await type('#password', PASSWORD)
      await go(page, 'form .main')
    }
    await typePassword()
    const secret = (await textOf('.secret')).replaceAll(' ', '')
    await type('#code', codeOf(secret, manager.clock.seconds))
    await go(page, 'form .main')

    await go(page, '.me a')
    await type('#label', 'Laptop')
    manager.clock.seconds += 60
    await type('#code', codeOf(secret, manager.clock.seconds))
    await go(page, '#passkey .main')
    expect(await textOf('.notice[role="status"]')).toContain('The passkey “Laptop” is added')
    const violations = await findViolations(page)
    await go(page, 'header .quiet')

    await page.setJavaScriptEnabled(false)
    await typePassword()
    expect(await page.$eval('#steps', (part) => part.checkVisibility())).toBe(false)
    expect(await page.$eval('#code', (part) => part.checkVisibility())).toBe(true)
    await page.setJavaScriptEnabled(true)
    await page.goto(`${address}/second-step`)
    violations.push(...(await findViolations(page)))
    await go(page, '#passkey button')
    expect(await textOf('.me')).toContain(EVE)
    expect(violations).toEqual([])
    expect(complaints).toEqual([])
    expect(manager.faults).toEqual([])
  } finally {
    await launched.close()
  }
})
