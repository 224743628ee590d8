import type { Frame, HTTPRequest } from 'puppeteer-core'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { OverloadedError } from '../../src/errors.ts'
import { ACCOUNT_PATHS } from '../../src/features/account/links/addresses.ts'
import { parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import { errorText, textsOf } from '../../src/languages/languages.ts'
import { createQueue } from '../../src/server/work-queue.ts'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { press, typeText } from '../browser/press-and-type.ts'
import { startAccountApp } from '../features/account/start-account-app.ts'
import { rowsFor } from '../rows.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { memoryUsers } from './memory-users.ts'
import { ADA, type LoginApp, type LoginAppOptions, startLoginApp } from './start-login-app.ts'
import { startSite } from './start-site.ts'

const KINDS: readonly BrowserKind[] = ['chromium', 'firefox']
/** Waits, faults and the eye use no feature that browsers treat differently. */
const WAITING_KINDS = rowsFor<BrowserKind>(['chromium'], ['firefox'])
const { script: TEXTS, signIn: LABEL } = textsOf('en')
const BUTTON = '#sign-in .primary'
const PATIENCE = { timeout: 20_000, interval: 20 }
const A_HUNDRED_TIMES_FASTER = `{
  const [startMs, now, set] = [Date.now(), Date.now, setInterval]
  Date.now = () => startMs + 100 * (now() - startMs)
  window.setInterval = (callback, delayMs) => set(callback, delayMs / 100)
}`
/** The browser shows the page from its cache of pages. */
const COME_BACK = `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`
const CAPS_LOCK = `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'A', modifierCapsLock: true }))`
const EYE = '#sign-in .entry button'

/** The login app at http://localhost, and a player that frames it. */
async function startSites(options: LoginAppOptions = {}) {
  let login = ''
  const player = await startSite((address) => {
    const frame = address === '/' ? `<iframe width="480" height="360" src="${login}/"></iframe>` : ''
    return `<!doctype html><title>Player</title>${frame}`
  })
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const app = await startLoginApp({
    publicUrl: 'http://localhost',
    entryPoints: [{ ...ENTRY_POINT, playerAddress, playerOrigins: [player] }],
    nowSeconds: () => Date.now() / 1000,
    ...options,
  })
  login = `http://localhost:${app.port}`
  return { app, login, player, passed: `${player}/embed/hashlock/pass?hash=%5B%7B` }
}

async function fill(screen: Frame, password: string): Promise<void> {
  await typeText(screen, '#username', ADA.username)
  await typeText(screen, '#password', password)
}

const textOf = (screen: Frame, selector: string) => screen.$eval(selector, ({ textContent }) => textContent)
const contentOf = (screen: Frame, selector: string) => screen.$eval(selector, (field) => Reflect.get(field, 'value'))
const waitForText = (screen: Frame, selector: string, text: string) =>
  expect.poll(() => textOf(screen, selector).catch(() => null), PATIENCE).toBe(text)
const attributesOf = async (screen: Frame) => [
  await screen.$eval('#password', (field) => Reflect.get(field, 'type')),
  await screen.$eval(EYE, (button) => Reflect.get(button, 'ariaPressed')),
]
const outcomes = ({ lines }: LoginApp) => lines.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))

/** Users whose passwords wait in a real queue, which is full until `leave` is called. */
function startCrowd() {
  const users = memoryUsers()
  users.add(ADA.username, ADA.password)
  const queue = createQueue({ width: 1, queueLength: 0, retryAfterSeconds: 1 })
  const { promise, resolve: leave } = Promise.withResolvers<void>()
  void queue.run(() => promise)
  let refusals = 0
  const assertCapacity = () => {
    refusals += 1
    queue.assertCapacity()
    refusals -= 1
  }
  const authenticate: typeof users.authenticate = (...credentials) =>
    queue.run(() => users.authenticate(...credentials))
  return { users: { ...users, assertCapacity, authenticate }, leave, refusals: () => refusals }
}

const launched = new Map<BrowserKind, Promise<LaunchedBrowser>>()
afterAll(async () => {
  for (const browser of launched.values()) await (await browser).close()
})

function launch(kind: BrowserKind): Promise<LaunchedBrowser> {
  const launching = launched.get(kind) ?? launchBrowser(kind)
  launched.set(kind, launching)
  return launching
}

/** Opens the framed screen, when its script has run. Chance adds nothing to the waits of the script. */
async function openScreen(kind: BrowserKind, options?: LoginAppOptions) {
  const sites = await startSites(options)
  const opened = await (await launch(kind)).openPage()
  onTestFinished(() => opened.page.close())
  await opened.page.evaluateOnNewDocument('Math.random = () => 0')
  await opened.page.goto(sites.player)
  const screen = await opened.waitForFrame(sites.login)
  await screen.waitForSelector(EYE)
  return { ...sites, ...opened, screen }
}

test.each(rowsFor<BrowserKind>(['chromium'], ['firefox', 'chromium-no-cookies']))(
  'a viewer in %s whom an overload refuses gets in without typing again',
  async (kind) => {
    const { users, leave, refusals } = startCrowd()
    const { app, screen, passed, waitForFrame, complaints } = await openScreen(kind, { users })
    await fill(screen, ADA.password)
    await press(screen, BUTTON)
    await screen.waitForSelector('[role="alert"]')
    expect(await contentOf(screen, '#password')).toBe(ADA.password)
    expect(await textOf(screen, BUTTON)).toBe(LABEL)
    expect(refusals()).toBe(1)
    leave()
    await waitForFrame(passed)
    expect(outcomes(app).filter((outcome) => outcome === 'signed-in')).toHaveLength(1)
    expect(complaints).toEqual([])
  },
)

describe.each(KINDS)('the script of the sign-in screen in %s', (kind) => {
  test(`a wrong password in ${kind} shows the screen of the app, with an empty field in focus`, async () => {
    const { app, screen, passed, waitForFrame } = await openScreen(kind)
    await fill(screen, 'wrong')
    await press(screen, EYE)
    expect(await attributesOf(screen)).toEqual(['text', 'true'])
    await press(screen, BUTTON)
    await screen.waitForSelector('#password:focus[aria-invalid]')
    expect(await attributesOf(screen)).toEqual(['password', 'false'])
    expect([await contentOf(screen, '#username'), await contentOf(screen, '#password')]).toEqual([ADA.username, ''])
    expect(await textOf(screen, '[role="alert"]')).toBe(errorText('en', 'wrongCredentials'))
    await screen.evaluate(CAPS_LOCK)
    expect(await textOf(screen, '.entry [role="status"]')).toBe(TEXTS.capsLock)
    await typeText(screen, '#password', ADA.password)
    await press(screen, BUTTON)
    await waitForFrame(passed)
    expect(outcomes(app)).toEqual(['wrong-credentials', 'signed-in'])
  })

  test(`a screen without the form replaces the form in ${kind}, and leads back to the player`, async () => {
    const decideAccess = () => ({ ok: false, reason: 'not-entitled' }) as const
    const accessPolicy = { decideAccess, timeoutMs: 1_000 }
    const { app, screen, player, waitForFrame, complaints } = await openScreen(kind, { accessPolicy })
    await fill(screen, ADA.password)
    await press(screen, BUTTON)
    await screen.waitForSelector('[role="alert"]:focus')
    expect(await screen.$('#sign-in')).toBeNull()
    await press(screen, 'button.quiet')
    await waitForFrame(`${player}/embed/hashlock/pass?hash=false`)
    expect(outcomes(app)).toEqual(['not-entitled', 'cancelled'])
    expect(complaints).toEqual([])
  })

  if (!WAITING_KINDS.includes(kind)) return

  test.each([
    [
      'an error page of a proxy',
      (request: HTTPRequest) => request.respond({ status: 502, body: '<h1>Bad Gateway</h1>' }),
    ],
    ['a lost connection', (request: HTTPRequest) => request.abort()],
  ])(`after %s, the form is left to ${kind}`, async (_fault, fail) => {
    const { app, login, passed } = await startSites()
    const { page, waitForFrame } = await (await launch(kind)).openPage()
    onTestFinished(() => page.close())
    await page.setRequestInterception(true)
    page.on(
      'request',
      (request) => void (request.headers().accept === 'application/json' ? fail(request) : request.continue()),
    )
    await page.goto(login)
    await page.waitForSelector(EYE)
    await fill(page.mainFrame(), ADA.password)
    await press(page.mainFrame(), BUTTON)
    await waitForFrame(passed)
    expect(outcomes(app)).toEqual(['signed-in'])
  })

  test(`each password of an account can be shown in ${kind}`, async () => {
    const app = await startAccountApp({ publicUrl: 'http://localhost' })
    const { page, complaints } = await (await launch(kind)).openPage()
    onTestFinished(() => page.close())
    await page.goto(`http://localhost:${app.port}${ACCOUNT_PATHS.change}`)
    await page.waitForSelector('.entry button')
    await press(page.mainFrame(), '#repeat-password + button')
    const types = await page.$$eval('.entry input', (fields) => fields.map((field) => Reflect.get(field, 'type')))
    expect(types).toEqual(['password', 'password', 'text'])
    expect(complaints).toEqual([])
  })

  test(`typing stops the automatic retry in ${kind}, and the viewer may press the button when the wait is over`, async () => {
    const { app, screen, passed, waitForFrame } = await openScreen(kind)
    app.users.fail(new OverloadedError('the queue is full', 1))
    await fill(screen, 'half a pass')
    await press(screen, BUTTON)
    await screen.waitForSelector('[role="alert"]')
    await typeText(screen, '#password', ADA.password)
    app.users.fail(null)
    await waitForText(screen, '[role="alert"]', TEXTS.retryNow)
    expect(app.users.asked).toHaveLength(1)
    await press(screen, BUTTON)
    await waitForFrame(passed)
  })

  test(`the script in ${kind} stops its retries after a limited number`, async () => {
    const { app, screen } = await openScreen(kind)
    await screen.evaluate(A_HUNDRED_TIMES_FASTER)
    app.users.fail(new OverloadedError('the queue is full', 1))
    await fill(screen, ADA.password)
    await press(screen, BUTTON)
    await waitForText(screen, '[role="alert"]', TEXTS.retryNow)
    expect(app.users.asked).toHaveLength(16)
  })

  test(`a second press in ${kind} is ignored while the app checks the password`, async () => {
    const { app, screen, passed, waitForFrame } = await openScreen(kind)
    const { promise, resolve } = Promise.withResolvers<void>()
    app.users.hold(promise)
    await fill(screen, ADA.password)
    await press(screen, BUTTON)
    await waitForText(screen, BUTTON, TEXTS.signingIn)
    await press(screen, BUTTON)
    await screen.evaluate(COME_BACK)
    expect(await textOf(screen, BUTTON)).toBe(LABEL)
    resolve()
    await waitForFrame(passed)
    expect(app.users.asked).toHaveLength(1)
  })

  test(`the wait after too many attempts is counted down in ${kind}`, async () => {
    const { app, screen } = await openScreen(kind)
    await fill(screen, ADA.password)
    // The fifth mistake starts a wait of a second, which a busy browser may spend on typing.
    for (let time = 0; time < 5; time += 1) await app.post('/sign-in', { ...ADA, password: 'wrong' })
    await press(screen, BUTTON)
    // A wait is not shown as an error, and its end is plain.
    await screen.waitForSelector('.waiting [role="alert"].wait:focus')
    await waitForText(screen, '[role="alert"]', TEXTS.retryNow)
    await screen.waitForSelector('body:not(.waiting) [role="alert"].now')
    expect(await textOf(screen, '.fields > [role="status"]')).toBe(TEXTS.retryNow)
  })

  test(`a retry in ${kind} that meets a limit shows the wait, and sends no empty form`, async () => {
    const users = memoryUsers()
    const capacity = [new OverloadedError('the queue is full', 1)]
    const assertCapacity = () => {
      for (const error of capacity.splice(0)) throw error
    }
    const refusal = { ok: false, limit: 'account', retryAfterSeconds: 2 } as const
    const signInLimits = { admit: () => Promise.resolve(refusal), forgive: () => Promise.resolve() }
    const { app, screen } = await openScreen(kind, { users: { ...users, assertCapacity }, signInLimits })
    await fill(screen, ADA.password)
    await press(screen, BUTTON)
    await waitForText(screen, '[role="alert"]', TEXTS.retryNow)
    expect(outcomes(app)).toEqual(['overloaded', 'held-back'])
  })
})
