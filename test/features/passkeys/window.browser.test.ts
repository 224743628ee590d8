import type { Frame, Page, Protocol } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import { textsOf } from '../../../src/languages/languages.ts'
import { findViolations } from '../../browser/find-violations.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { openPage } from '../../browser/open-page.ts'
import { addAuthenticator, openPasskeyWindow } from '../../browser/passkey-window.ts'
import { press, pressKey, typeText } from '../../browser/press-and-type.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startPlayerSite } from '../../login/start-site.ts'
import { freePort } from '../../servers/free-port.ts'
import { ssoSettings } from '../sso/start-sso.ts'
import { faultsIn, framesIn, startBrandedApp, windowsIn } from './passkey-screens.ts'
import { type PasskeyApp, startPasskeys } from './start-passkeys.ts'

let launched: LaunchedBrowser
beforeAll(async () => {
  launched = await launchBrowser('chromium')
})
afterAll(() => launched.close())

/** The app with single sign-on and passkeys, and a player of another site that frames it. */
async function startSites() {
  const port = await freePort()
  const login = `http://localhost:${port}`
  const player = await startPlayerSite(() => `<iframe width="480" height="270" src="${login}/"></iframe>`)
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const sso = ssoSettings('https://idp.example')
  const app = await startPasskeys({
    port,
    publicUrl: login,
    entryPoint: { playerAddress, playerOrigins: [player], features: { sso } },
  })
  return { app, login, player, arrived: `${player}/embed/hashlock/pass?hash=%5B%7B%22user%22%3A%22ada` }
}

/** Opens the player, and the window by a press on "Use a passkey". */
async function openPlayer(player: string, login: string) {
  // With a session of an earlier visit, the viewer would pass at once.
  const context = await launched.browser.createBrowserContext()
  const opened = await openPage(await context.newPage())
  await opened.page.goto(player)
  const screen: Frame = await opened.waitForFrame(login)
  const window = await openPasskeyWindow(launched.browser, () => press(screen, '#use-passkey'))
  return { ...opened, screen, ...window }
}

test('in a frame of another site, a viewer creates a passkey with the password, and then signs in with it', async () => {
  const { app, player, login, arrived } = await startSites()
  const first = await openPlayer(player, login)
  await first.window.close()
  await first.page.bringToFront()
  const enrolment = await openPasskeyWindow(launched.browser, () => press(first.screen, '[form="sso-start"]'))
  await typeText(enrolment.window.mainFrame(), '#username', ADA.username)
  await typeText(enrolment.window.mainFrame(), '#password', ADA.password)
  const added = new Promise<Protocol.WebAuthn.Credential>((resolve) =>
    enrolment.session.once('WebAuthn.credentialAdded', ({ credential }) => resolve(credential)),
  )
  const closed = new Promise((resolve) => enrolment.window.once('close', resolve))
  await pressKey(enrolment.window.mainFrame(), '#password')
  const credential = await added
  await closed
  // The frame asks at once.
  await first.page.bringToFront()
  await first.waitForFrame(arrived)
  await first.page.close()
  app.lines.length = 0

  const second = await openPlayer(player, login)
  const { session, authenticatorId } = second
  await session.send('WebAuthn.addCredential', { authenticatorId, credential })
  // The window asked before it had an authenticator.
  const closedAgain = new Promise((resolve) => second.window.once('close', resolve))
  void second.window.reload().catch(() => {})
  await closedAgain
  await second.page.bringToFront()
  await second.waitForFrame(arrived)
  expect(app.lines.map(({ outcome }) => outcome)).toContain('passkey-signed-in')
  expect([...first.complaints, ...second.complaints]).toEqual([])
  await second.page.close()
})

/** Opens the window of a passkey in this page. */
async function openWindowIn(page: Page, app: Pick<PasskeyApp, 'origin'>): Promise<void> {
  await page.goto(`${app.origin}/?prompt=passkey`)
  const submit = `Object.assign(document.getElementById('sso-start'), { target: '_self' }).submit()`
  await Promise.all([page.waitForNavigation(), page.evaluate(submit)])
}

/** Returns what a viewer sees of the window: its texts, and the number of its buttons. */
async function seenIn(page: Page): Promise<[text: string, buttons: number]> {
  const text = String(await page.evaluate(`document.querySelector('header').innerText`))
  return [
    text,
    Number(
      await page.evaluate(`[...document.querySelectorAll('button')].filter((one) => one.checkVisibility()).length`),
    ),
  ]
}

test('a window that cannot ask for a passkey says why, and what to do', async () => {
  const app = await startBrandedApp()
  const { passkeys: passkey } = textsOf('en')
  const { page } = await launched.openPage()

  await page.setJavaScriptEnabled(false)
  await openWindowIn(page, app)
  expect(await seenIn(page)).toEqual([expect.stringContaining(passkey.noScript), 0])
  await page.setJavaScriptEnabled(true)

  const { session } = await addAuthenticator(page, { isUserVerified: false })
  await openWindowIn(page, app)
  await page.waitForSelector('#alert', { visible: true })
  expect(await seenIn(page)).toEqual([expect.stringContaining(passkey.errors.cancelled), 1])
  await session.detach()

  await page.evaluateOnNewDocument(`delete globalThis.PublicKeyCredential`)
  await openWindowIn(page, app)
  await page.waitForSelector('#alert', { visible: true })
  expect(await seenIn(page)).toEqual([expect.stringContaining(passkey.errors.unsupported), 0])
  await page.close()
})

test('axe finds no violation on the screens with passkeys and in their window', async () => {
  const app = await startBrandedApp()
  const { page } = await launched.openPage()
  await page.goto(`${app.origin}/?prompt=passkey`)
  const telling = /: (passkey|single sign-on|enrol|sign-in, form open|unknown)$/
  const all = [...(await framesIn(app, 'en')), ...(await windowsIn(app, 'en'))]
  const screens = all.filter(({ name }) => telling.test(name))
  expect(screens).toHaveLength(5)
  const violations: string[] = []
  for (const { name, html } of screens) {
    await page.setContent(html.replace(/<script[^>]*>/g, ''))
    violations.push(...(await findViolations(page)).map((violation) => `${name}: ${violation}`))
  }
  expect(violations).toEqual([])
  await page.close()
})

test('screens in long and in right-to-left languages fit: nothing scrolls, is cut off or overlaps', async () => {
  const app = await startBrandedApp()
  const { page } = await launched.openPage()
  const faults: string[] = []
  await page.goto(`${app.origin}/?prompt=passkey`)
  for (const language of ['ar', 'fr', 'de'] as const) {
    faults.push(...(await faultsIn(page, await framesIn(app, language), ['320x180', '480x270'])))
  }
  expect(faults).toEqual([])
  await page.close()
})
