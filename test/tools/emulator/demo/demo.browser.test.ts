import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Frame, Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import loginTexts from '../../../../views/languages/en.json' with { type: 'json' }
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import type { OpenPage } from '../../../browser/open-page.ts'
import { press, typeText } from '../../../browser/press-and-type.ts'
import { rowsFor } from '../../../rows.ts'
import { makeResponse } from '../player/tiny-login-app.ts'
import { stateOf, waitUntilPlaying } from '../player/viewer.ts'
import { type DemoProgram, homePageOf, startDemo, stopDemo, temporaryFolder } from './demo-program.ts'

const KINDS = rowsFor<BrowserKind>(['chromium'], ['chromium-no-cookies', 'firefox'])

/**
 * The player sends its heartbeat every 10 s; here every second. In a block, because Chromium runs this at the top level
 * of the document: there a constant would hide the changed function from the player.
 */
const FAST_HEARTBEAT = `{
  const { setInterval } = globalThis
  globalThis.setInterval = (work, ms, ...rest) => setInterval(work, ms === 10_000 ? 1_000 : ms, ...rest)
}`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let demo: DemoProgram
let addresses: { page: string; companyPage: string; service: string; login: string }
let ada: { username: string; password: string }
let hashSecret: string

beforeAll(async () => {
  folder = await temporaryFolder()
  demo = startDemo({ DEMO_DATA_FOLDER: folder.path })
  await demo.running
  const shown = demo.printed() + (await homePageOf(demo))
  const find = (pattern: RegExp) => pattern.exec(shown)?.[0] ?? ''
  addresses = {
    page: find(/http:\/\/page\.localhost:\d+\/channel\/\d+/),
    companyPage: find(/http:\/\/page\.localhost:\d+\/channel\/1100/),
    service: find(/http:\/\/127\.0\.0\.1:\d+/),
    login: find(/http:\/\/localhost:\d+(?=\/)/),
  }
  const seed = await (await fetch(`${addresses.service}/emulator/seed`)).json()
  ada = (seed as { viewers: [typeof ada] }).viewers[0]
  hashSecret = JSON.parse(readFileSync(join(folder.path, 'secrets.json'), 'utf8')).hashSecret
})

afterAll(async () => {
  await stopDemo(demo)
  await folder.remove()
})

/** Every authentication response that a page received, as the browser sent it. */
function responsesOf(page: Page): string[] {
  const responses: string[] = []
  page.on('request', (request) => {
    const hash = new URL(request.url()).searchParams.get('hash')
    if (hash !== null && request.isNavigationRequest()) responses.push(hash)
  })
  return responses
}

/** By the documented rule, with nothing of this project: the same parameters and expiry give the same text. */
function expectGenuine(response: string | undefined): void {
  const [user, expiry] = JSON.parse(response ?? '[]') as [{ user: string }, { hashExpire: number }]
  expect(user).toEqual({ user: ada.username })
  expect(response).toBe(makeResponse([['user', user.user]], expiry.hashExpire, hashSecret))
}

async function signIn(login: Frame, password: string): Promise<void> {
  await typeText(login, '#username', ada.username)
  await typeText(login, '#password', password)
  await press(login, '#sign-in .primary')
}

function setClock(body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  return fetch(`${addresses.service}/emulator/clock`, { method: 'POST', headers, body: JSON.stringify(body) })
}

test('the sign-in screen of the demo offers a passkey', async () => {
  expect(await (await fetch(addresses.login)).text()).toContain('id="use-passkey"')
})

describe.each(KINDS)('in %s', (kind) => {
  const keepsAnything = !kind.endsWith('no-cookies')
  let browser: LaunchedBrowser
  let opened: OpenPage
  let page: Page
  let responses: string[]

  // A browser for each try, because the player remembers a viewer who has signed in.
  beforeEach(async () => {
    browser = await launchBrowser(kind)
    opened = await browser.openPage()
    page = opened.page
    await page.evaluateOnNewDocument(FAST_HEARTBEAT)
    responses = responsesOf(page)
  })
  afterEach(async () => {
    await setClock({ real: true })
    await browser.close()
    expect(opened.complaints).toEqual([])
  })

  const openPlayer = async (): Promise<Frame> => {
    await page.goto(addresses.page)
    return opened.waitForFrame(`${addresses.service}/embed/`)
  }
  const loginFrame = () => opened.waitForFrame(addresses.login)

  test('the demo takes a viewer through a cancel, a wrong password, the video, a reload and the expiry', async () => {
    const player = await openPlayer()
    await press(player, '[data-log-in]')
    await press(await loginFrame(), '.quiet')
    await stateOf(player, 'cancelled')
    expect(responses).toEqual(['false'])

    await press(player, '[data-log-in]')
    await signIn(await loginFrame(), 'not the password')
    const alert = await (await loginFrame()).waitForSelector('[role="alert"]')
    expect(await alert?.evaluate((element) => element.textContent)).toBe(loginTexts.errors.wrongCredentials)
    await signIn(await loginFrame(), ada.password)
    await waitUntilPlaying(player)
    expect(responses).toHaveLength(2)
    expectGenuine(responses[1])

    const again = await openPlayer()
    if (!keepsAnything) {
      await stateOf(again, 'locked')
      expect(responses).toHaveLength(2)
      await press(again, '[data-log-in]')
      await signIn(await loginFrame(), ada.password)
    }
    await waitUntilPlaying(again)
    await expectNewSignInAfterExpiry(again)
  })

  if (kind === 'chromium') {
    test('a person signs in at the provider in a window that closes itself, and the video plays', async () => {
      await page.goto(addresses.companyPage)
      const player = await opened.waitForFrame(`${addresses.service}/embed/`)
      await press(player, '[data-log-in]')
      const target = browser.browser.waitForTarget((one) => one.url().includes('/company/interaction/'))
      await press(await loginFrame(), '#sso-start .primary')
      const window = await (await target).page()
      const closed = new Promise((resolve) => window?.once('close', resolve))
      await window?.click('button[value="ada@lakeside.example"]')
      await closed
      await waitUntilPlaying(player)
      expect(JSON.parse(responses[0] ?? '[]')[0]).toEqual({ user: 'ada@lakeside.example' })
    })
  }

  /** A browser that keeps cookies signs in by itself; any other shows the form again. */
  async function expectNewSignInAfterExpiry(player: Frame): Promise<void> {
    const before = [...responses]
    // The response lives for an hour. Five seconds later the service refuses the heartbeat of the player.
    await setClock({ advance_seconds: 3_595 })
    if (keepsAnything) {
      await expect.poll(() => responses.length, { timeout: 60_000 }).toBe(before.length + 1)
      await setClock({ real: true })
    } else {
      const login = await loginFrame()
      await setClock({ real: true })
      await signIn(login, ada.password)
    }
    await waitUntilPlaying(player)
    expectGenuine(responses.at(-1))
    expect(responses.at(-1)).not.toBe(before.at(-1))
  }
})
