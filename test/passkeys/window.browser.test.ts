import type { Frame, Protocol } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import { type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { openPage } from '../browser/open-page.ts'
import { openPasskeyWindow } from '../browser/passkey-window.ts'
import { press, type } from '../browser/press-and-type.ts'
import { ADA } from '../login/start-login-app.ts'
import { startSite } from '../login/start-site.ts'
import { freePort } from '../servers/free-port.ts'
import { faultsIn, framesIn, startBrandedApp } from './passkey-screens.ts'
import { startPasskeys } from './start-passkeys.ts'

let launched: LaunchedBrowser
beforeAll(async () => {
  launched = await launchBrowser('chromium')
})
afterAll(() => launched.close())

/** The app, and a player of another site that frames it. */
async function startSites() {
  const port = await freePort()
  const login = `http://localhost:${port}`
  const player = await startSite(
    () => `<!doctype html><title>Player</title><iframe width="480" height="270" src="${login}/"></iframe>`,
  )
  const entryPoint = { playerAddress: parsePlayerAddress(`${player}/embed/hashlock/pass`), playerOrigins: [player] }
  const app = await startPasskeys({ port, publicUrl: login, entryPoint })
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
  const { window, session: ofCreation } = await openPasskeyWindow(launched.browser, () =>
    press(first.screen, '[form="sso-start"]'),
  )
  await type(window.mainFrame(), '#username', ADA.username)
  await type(window.mainFrame(), '#password', ADA.password)
  const added = new Promise<Protocol.WebAuthn.Credential>((resolve) =>
    ofCreation.once('WebAuthn.credentialAdded', ({ credential }) => resolve(credential)),
  )
  await window.keyboard.press('Enter')
  const credential = await added
  await first.waitForFrame(arrived)
  await first.page.close()
  app.lines.length = 0

  const second = await openPlayer(player, login)
  const { session, authenticatorId } = second
  await session.send('WebAuthn.addCredential', { authenticatorId, credential })
  // The window asked before it had an authenticator.
  void second.window.reload().catch(() => {})
  await second.waitForFrame(arrived)
  expect(app.lines.map(({ outcome }) => outcome)).toContain('passkey-signed-in')
  await second.page.close()
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
