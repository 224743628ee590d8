import type { Frame } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UNBRANDED } from '../../src/brand/brand.ts'
import { errorText } from '../../src/languages/languages.ts'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { press, pressKey, typeText } from '../browser/press-and-type.ts'
import { ADA } from './start-login-app.ts'
import { startSite } from './start-site.ts'
import { startSites } from './start-sites.ts'

const KINDS: readonly BrowserKind[] = ['chromium', 'firefox']

/** The id, name, class or tag of the focused element. */
const FOCUSED = `(({ id, name, className, localName }) => id || name || className || localName)(document.activeElement)`

async function signIn(screen: Frame, password: string): Promise<void> {
  await typeText(screen, '#username', ADA.username)
  await typeText(screen, '#password', password)
  await press(screen, '#sign-in .primary')
}

describe.each(KINDS)('the login screen framed by another site, in %s', (kind) => {
  let browser: LaunchedBrowser
  beforeAll(async () => {
    browser = await launchBrowser(kind)
  })
  afterAll(() => browser.close())

  test('a framed sign-in leads to a consumer on another origin, also after a mistake and under COEP', async () => {
    const headers = { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Resource-Policy': 'cross-origin' }
    const { login, player, consumer } = await startSites('/?hashConsumer=CONSUMER&ustreamContentType=live', '', {
      headers,
    })
    const { page, waitForFrame, complaints } = await browser.openPage()
    await page.goto(player)
    const screen = await waitForFrame(login)
    await signIn(screen, 'not the password')
    await screen.waitForSelector('[role="alert"]')
    await signIn(screen, ADA.password)
    const arrived = await waitForFrame(`${consumer}/chat/authorize/7?resource=%2Fchat%2F7&hash=%5B%7B`)
    await arrived.waitForSelector('#arrived')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a framed screen shows the logo and the colors of the brand, and is dark in a light player', async () => {
    const content = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 30"/>')
    const logo = { type: 'image/svg+xml', content, width: 60, height: 30 } as const
    const colors = { light: '#c8102e', dark: '#35c98f' }
    const { login, player } = await startSites('/', '', { brand: { ...UNBRANDED, name: 'Acme', logo, colors } })
    const { page, waitForFrame, complaints } = await browser.openPage()
    await page.goto(player)
    const screen = await waitForFrame(login)
    await screen.waitForSelector('.primary')
    const shown = await screen.evaluate(`[
      getComputedStyle(document.querySelector('.primary')).backgroundColor,
      getComputedStyle(document.documentElement).backgroundColor,
      document.querySelector('.brand img').naturalWidth > 0,
    ]`)
    expect(shown).toEqual(['rgb(53, 201, 143)', 'rgb(22, 24, 31)', true])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a framed cancel gives "false" to the consumer', async () => {
    const { login, player, consumer } = await startSites('/?hashConsumer=CONSUMER')
    const { page, waitForFrame, complaints } = await browser.openPage()
    await page.goto(player)
    const screen = await waitForFrame(login)
    await press(screen, 'button.quiet')
    await waitForFrame(`${consumer}/chat/authorize/7?resource=%2Fchat%2F7&hash=false`)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('Tab goes through a framed screen from top to bottom, and out of it again', async () => {
    const { login, player } = await startSites('/')
    const { page, waitForFrame } = await browser.openPage()
    await page.goto(player)
    const screen = await waitForFrame(login)
    await screen.waitForSelector('.entry button')
    await page.focus('#before')
    const focused: unknown[] = []
    while (focused.at(-1) !== 'after' && focused.length < 10) {
      await page.keyboard.press('Tab')
      const inPlayer = await page.evaluate(FOCUSED)
      // The focus reaches the process of the frame a moment after the key.
      if (inPlayer === 'iframe') await expect.poll(() => screen.evaluate(FOCUSED)).not.toBe('body')
      focused.push(inPlayer === 'iframe' ? await screen.evaluate(FOCUSED) : inPlayer)
    }
    expect(focused).toEqual(['username', 'password', 'button', 'shared', 'primary', 'quiet', 'after'])
    await page.close()
  })

  test('after a mistake, the keyboard stays in the framed screen, and Tab does not leave it', async () => {
    const { login, player } = await startSites('/')
    const { page, waitForFrame } = await browser.openPage()
    await page.goto(player)
    const screen = await waitForFrame(login)
    await typeText(screen, '#username', ADA.username)
    await typeText(screen, '#password', 'not the password')
    await pressKey(screen, '#password')
    await screen.waitForSelector('[role="alert"]')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(FOCUSED)).toBe('iframe')
    expect(['username', 'password', 'button', 'shared', 'primary']).toContain(await screen.evaluate(FOCUSED))
    await page.close()
  })

  test('an unlisted page cannot frame the screen', async () => {
    const { login } = await startSites('/')
    const stranger = await startSite(() => `<!doctype html><title>Stranger</title><iframe src="${login}/"></iframe>`)
    const { page, waitForComplaint } = await browser.openPage()
    await page.goto(stranger)
    await waitForComplaint('frame-ancestors')
    const fields = await Promise.all(page.frames().map((frame) => frame.$('#username').catch(() => null)))
    expect(fields.filter((field) => field !== null)).toEqual([])
    await page.close()
  })

  test('a frame without allow-same-origin shows why it cannot sign in', async () => {
    const { app, login, player } = await startSites('/', 'sandbox="allow-forms"')
    const { page, waitForFrame } = await browser.openPage()
    await page.goto(player)
    const screen = await waitForFrame(login)
    await signIn(screen, ADA.password)
    await screen.waitForSelector('[role="alert"]')
    expect(await screen.$eval('[role="alert"]', ({ textContent }) => textContent)).toBe(
      errorText('en', 'notFromOwnPage'),
    )
    expect(app.lines.map(({ outcome }) => outcome)).toEqual(['not-from-own-page'])
    await page.close()
  })
})
