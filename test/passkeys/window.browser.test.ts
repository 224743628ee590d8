import type { Browser, CDPSession, Frame, Page, Protocol } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import { findGeometryFaults } from '../browser/find-geometry-faults.ts'
import { type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { openPage } from '../browser/open-page.ts'
import { press, type } from '../browser/press-and-type.ts'
import { BRANDS, LANGUAGES, LONG_NAME, type Screen } from '../login/screens/every-screen.ts'
import { ADA, ENTRY_POINT } from '../login/start-login-app.ts'
import { startSite } from '../login/start-site.ts'
import { freePort } from '../servers/free-port.ts'
import { type PasskeyApp, startPasskeys } from './start-passkeys.ts'

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

/** Returns the window that a press opens. */
async function windowOpenedBy(browser: Browser, work: () => Promise<void>): Promise<Page> {
  const known = new Set(browser.targets())
  await work()
  const target = await browser.waitForTarget((one) => one.type() === 'page' && !known.has(one))
  return (await target.page()) ?? expect.unreachable('The window has no page')
}

/** Gives the window an authenticator that checks a fingerprint. */
async function addAuthenticator(window: Page): Promise<{ session: CDPSession; authenticatorId: string }> {
  const session = await window.createCDPSession()
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  })
  return { session, authenticatorId }
}

/** Opens the player, and the window by a press on "Use a passkey". */
async function openPlayer(player: string, login: string) {
  // With a session of an earlier visit, the viewer would pass at once.
  const context = await launched.browser.createBrowserContext()
  const opened = await openPage(await context.newPage())
  await opened.page.goto(player)
  const screen: Frame = await opened.waitForFrame(login)
  const window = await windowOpenedBy(launched.browser, () => press(screen, '#use-passkey'))
  return { ...opened, screen, window, ...(await addAuthenticator(window)) }
}

test('in a frame of another site, a viewer creates a passkey with the password, and then signs in with it', async () => {
  const { app, player, login, arrived } = await startSites()
  const first = await openPlayer(player, login)
  await first.window.close()
  await first.page.bringToFront()
  const window = await windowOpenedBy(launched.browser, () => press(first.screen, '[form="sso-start"]'))
  const { session: ofCreation } = await addAuthenticator(window)
  await window.bringToFront()
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

const SIZES = ['320x180', '480x270', '375x667'] as const

/** Returns every screen of the frame with passkeys, in one language. */
async function screensIn(app: PasskeyApp, language: string): Promise<Screen[]> {
  const headers = { 'Accept-Language': language }
  const signedIn = await app.post('/sign-in', ADA)
  const back = { ...headers, Cookie: signedIn.setCookies[0]?.split(';')[0] ?? '' }
  const answers = {
    password: await app.get('/', headers),
    passkey: await app.get('/?prompt=passkey', headers),
    'not yet': await app.post('/sso/continue', { wait: 'x'.repeat(43), way: 'passkey' }, headers),
    'wrong password': await app.post('/sign-in', { username: LONG_NAME, password: 'x' }, headers),
    'welcome back': await app.get('/?prompt=login', back),
    'other account': await app.get('/?prompt=other-account', back),
  }
  return Object.entries(answers).map(([name, { text: html }]) => ({ name: `${language}: ${name}`, html }))
}

async function startBrandedApp() {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  const entryPoints = [{ ...ENTRY_POINT, brand: BRANDS['square logo'], hasPasskeys: true }]
  return await startPasskeys({ port, publicUrl, entryPoints })
}

test('every screen with passkeys fits every size in every language: nothing scrolls, is cut off or overlaps', async () => {
  const app = await startBrandedApp()
  const { page } = await launched.openPage()
  await page.goto(`${app.origin}/?prompt=passkey`)
  const screens = (await Promise.all(LANGUAGES.map((language) => screensIn(app, language)))).flat()
  const faults: string[] = []
  for (const size of SIZES) {
    const [width = 0, height = 0] = size.split('x').map(Number)
    await page.setViewport({ width, height })
    const rules = { leastTarget: size === '375x667' ? 44 : 24, mostScroll: 0 }
    const pages = screens.map(({ html }) => html)
    const found = await findGeometryFaults(page, pages, rules)
    faults.push(...found.flatMap((list, index) => list.map((fault) => `${size} ${screens[index]?.name}: ${fault}`)))
  }
  expect(faults).toEqual([])
  await page.close()
})
