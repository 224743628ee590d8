import type { Frame, Page, Protocol } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newToken } from '../../../src/features/account/links/tokens.ts'
import { parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import { type Language, textsOf } from '../../../src/languages/languages.ts'
import { findGeometryFaults } from '../../browser/find-geometry-faults.ts'
import { findViolations } from '../../browser/find-violations.ts'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { openPage } from '../../browser/open-page.ts'
import { addAuthenticator, openPasskeyWindow } from '../../browser/passkey-window.ts'
import { press, pressKey, typeText } from '../../browser/press-and-type.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { BRANDS, LANGUAGES } from '../../login/screens/every-screen.ts'
import { LONG_NAME, type Screen } from '../../login/screens/screen.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startPlayerSite } from '../../login/start-site.ts'
import { rowsFor } from '../../rows.ts'
import { freePort } from '../../servers/free-port.ts'
import { withSso } from '../sso/entry-point.ts'
import { ssoSettings } from '../sso/start-sso.ts'
import { createAuthenticator } from './authenticator.ts'
import { withPasskeys } from './entry-point.ts'
import { openFrame, ownHeaders, type PasskeyApp, readWindow, startPasskeys } from './start-passkeys.ts'

/** Starts the app with a brand, and passkeys at two entry points. `both` has single sign-on too. */
async function startBrandedApp(): Promise<PasskeyApp> {
  const port = await freePort()
  const brand = BRANDS['square logo']
  const featureSettings = { account: { server: null, addressAttribute: 'username', resetsPerHour: 100 } }
  const entryPoints = [
    withPasskeys({ ...ENTRY_POINT, brand }),
    withSso(
      { ...ssoSettings('https://idp.example'), label: 'Contoso Identity Services' },
      withPasskeys(entryPointAt('both', { brand })),
    ),
  ]
  return await startPasskeys({ port, publicUrl: `http://localhost:${port}`, entryPoints, featureSettings })
}

/** Returns every screen of the frame with passkeys, in one language. */
async function framesIn(app: PasskeyApp, language: Language): Promise<Screen[]> {
  const headers = { 'Accept-Language': language }
  const wrong = { username: LONG_NAME, password: 'x' }
  const passkey = (await app.get('/?prompt=passkey', headers)).text
  const [, waiting = ''] = /data-waiting="([^"]*)"/.exec(passkey) ?? []
  app.clock.seconds += 600
  const screens = {
    password: (await app.get('/', headers)).text,
    'wrong password': (await app.post('/sign-in', wrong, headers)).text,
    passkey,
    waiting: passkey.replace(/(<p class="hint"[^>]*>)[^<]*/, `$1${waiting}`),
    'not yet': (await app.post('/sso/continue', { wait: 'x'.repeat(43), way: 'passkey' }, headers)).text,
    'single sign-on': (await app.get('/e/both', headers)).text,
    'single sign-on, wrong password': (await app.post('/e/both/sign-in', wrong, headers)).text,
  }
  return Object.entries(screens).map(([name, html]) => ({ name: `${language}: ${name}`, html }))
}

/** Returns every kind of page of the window in one language, as its script shows them. */
async function windowsIn(app: PasskeyApp, language: Language): Promise<Screen[]> {
  const { flow } = await openFrame(app)
  const send = (step: string, fields: object, cookie = '') =>
    app.post(`/passkey/${step}`, { flow, ...fields }, { ...ownHeaders(app, cookie), 'Accept-Language': language })
  const start = await send('start', {})
  const create = await send('password', ADA)
  const signIn = readWindow(app, start)
  const creation = readWindow(app, create)
  const { challenge, cookie } = creation
  const authenticator = createAuthenticator()
  const unknown = createAuthenticator()
  const answer = authenticator.create(creation, creation.publicKey.user?.id ?? '')
  const unknownAnswer = { challenge: signIn.challenge, ...unknown.signIn(signIn) }
  const pages = {
    'sign-in': start,
    'sign-in, form open': { text: start.text.replace('<details', '<details open') },
    enrol: await send('start', { create: 'on' }),
    'wrong password': await send('password', { username: LONG_NAME, password: 'x' }),
    create,
    created: await send('create', { challenge, ...answer }, cookie),
    unknown: await send('finish', unknownAnswer, signIn.cookie),
    'from another page': await app.post('/passkey/start', {}, { 'Accept-Language': language }),
  }
  const { token, digest } = newToken()
  const link = { purpose: 'reset', digest, expiresAtSeconds: app.clock.seconds + 600 } as const
  await app.store.passwordChanges.createLink(ADA.username, link)
  const reset = await app.get(`/account/new-password?token=${token}&lang=${language}`)
  const own = await send('password', { ...ADA, own: 'on' })
  await app.passkeys.remove(ADA.username, authenticator.id)
  return Object.entries({ ...pages, own, reset }).map(([name, { text }]) => ({
    name: `${language} window: ${name}`,
    html: text.replace(/ id="(instruction|steps)" hidden/g, ''),
  }))
}

/** Shows the screens in each size, such as `320x180`, and returns what does not fit. */
async function faultsIn(page: Page, screens: readonly Screen[], sizes: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const size of sizes) {
    const [width = 0, height = 0] = size.split('x').map(Number)
    await page.setViewport({ width, height })
    const rules = { leastTarget: height > width ? 44 : 24, mostScroll: 0 }
    const pages = screens.map(({ html }) => html)
    const found = await findGeometryFaults(page, pages, rules)
    faults.push(...found.flatMap((list, index) => list.map((fault) => `${size} ${screens[index]?.name}: ${fault}`)))
  }
  return faults
}

const FRAME_SIZES = ['320x180', '375x211', '480x270', '640x360', '1280x720', '375x667']
const WINDOW_SIZES = ['375x667', '1280x720']

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

const SCREENS_IN_FRAME = rowsFor<readonly [readonly Language[], readonly string[]]>(
  [
    [
      ['ar', 'fr', 'de'],
      ['320x180', '480x270'],
    ],
  ],
  [[LANGUAGES, FRAME_SIZES]],
)

test.each(SCREENS_IN_FRAME)(
  'screens in %s fit %s: nothing scrolls, is cut off or overlaps',
  async (languages, sizes) => {
    const app = await startBrandedApp()
    const { page } = await launched.openPage()
    await page.goto(`${app.origin}/?prompt=passkey`)
    const faults: string[] = []
    for (const language of languages) faults.push(...(await faultsIn(page, await framesIn(app, language), sizes)))
    // With a message, three ways scroll in the smallest player.
    const threeWays = /^320x180 .*: single sign-on, wrong password: scrolls by \d+ px$/
    expect(faults.filter((fault) => !threeWays.test(fault))).toEqual([])
    await page.close()
  },
)

const ALL_LANGUAGES = rowsFor<{ languages: readonly Language[] }>([], [{ languages: LANGUAGES }])

test.each(ALL_LANGUAGES)(
  'every page of the window fits a phone and a window in every language',
  async ({ languages }) => {
    const app = await startBrandedApp()
    const { page } = await launched.openPage()
    // Its stylesheet is not the one of the frame.
    await page.goto(`${app.origin}/passkey/start`)
    const faults: string[] = []
    for (const language of languages)
      faults.push(...(await faultsIn(page, await windowsIn(app, language), WINDOW_SIZES)))
    expect(faults).toEqual([])
    await page.close()
  },
)
