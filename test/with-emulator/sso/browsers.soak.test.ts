import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { errorText } from '../../../src/languages/languages.ts'
import { press } from '../../browser/press-and-type.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startRedis } from '../../redis/servers/redis.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { isWebKit, openBrowsers, type Viewer } from '../viewer.ts'
import { type Sites, type SitesOptions, startFourSites } from './four-sites.ts'

/** Every browser with every header and sandbox that changes what a frame and a window can do. */

const ENGINES = ['chromium', 'firefox', 'webkit'] as const
type Engine = (typeof ENGINES)[number]
const WITHOUT_SCRIPTS = ['chromium-no-scripts', 'firefox-no-scripts', 'webkit-no-scripts'] as const
type Kind = Engine | (typeof WITHOUT_SCRIPTS)[number]

const CHANNEL = 'embed/1001'
const VIDEO = 'embed/recorded/2002'
const START = '#sso-start .primary'
const CONTINUE = '#sso-continue button'
const COEP = 'Cross-Origin-Embedder-Policy'
const COOP = 'Cross-Origin-Opener-Policy'
const CORP = 'Cross-Origin-Resource-Policy'
const WITHOUT_POPUPS = 'allow-scripts allow-same-origin allow-forms'

let certificate: Certificate | undefined
const browsers = openBrowsers()
afterAll(() => browsers.close())

async function arrive(kind: Kind, options: SitesOptions = {}) {
  // WebKit keeps no secure cookie over http.
  if (isWebKit(kind)) certificate ??= await makeCertificate()
  const sites = await startFourSites({ ...options, certificate: isWebKit(kind) ? certificate : undefined })
  return { viewer: await browsers.arrive(kind, sites), sites }
}

const untilWindows = (viewer: Viewer, count: number) =>
  expect.poll(() => viewer.countWindows(), { timeout: 20_000, interval: 50 }).toBe(count)

/** Signs in in the window, which closes itself. */
async function signInInWindow(viewer: Viewer, person = 'ada'): Promise<void> {
  await viewer.press(START)
  await viewer.choose(person)
  await untilWindows(viewer, 1)
}

type Place = readonly [name: string, options: SitesOptions]

const PROVIDERS: readonly Place[] = (['none', 'same-origin', 'same-origin-allow-popups'] as const).map((coop) => [
  `a provider with COOP ${coop}`,
  { coop },
])

const ISOLATED: Place = [
  'an isolated page and player',
  {
    pageHeaders: { [COOP]: 'same-origin', [COEP]: 'require-corp' },
    playerHeaders: { [COEP]: 'require-corp', [CORP]: 'cross-origin' },
  },
]

const HEADERS: readonly Place[] = [
  ['a page with COOP same-origin', { pageHeaders: { [COOP]: 'same-origin' } }],
  ['a player with COEP require-corp', { playerHeaders: { [COEP]: 'require-corp' } }],
  ['a player with COEP credentialless', { playerHeaders: { [COEP]: 'credentialless' } }],
]

const SANDBOXES: readonly Place[] = [
  ['a sandbox that allows popups', { sandbox: `${WITHOUT_POPUPS} allow-popups allow-popups-to-escape-sandbox` }],
  [
    'popups that keep the sandbox, and a provider without COOP',
    { sandbox: `${WITHOUT_POPUPS} allow-popups`, coop: 'none' },
  ],
]

describe.each(ENGINES)('in %s', (engine) => {
  // The clicks and keys of the test do not reach the frames of an isolated page in Firefox.
  const headers = engine === 'firefox' ? HEADERS : [...HEADERS, ISOLATED]
  const places = [...PROVIDERS, ...headers, ...SANDBOXES]

  test.each(places)('with %s, the frame goes on by itself, and the video plays', async (_place, options) => {
    const { viewer, sites } = await arrive(engine, options)
    await viewer.openLogin(CHANNEL)
    await signInInWindow(viewer)
    await viewer.untilPlaying()
    expect(sites.outcomes()).toEqual(['sso-started', 'sso-signed-in', 'signed-in'])
    expect(viewer.complaints()).toEqual([])
  })

  test.each(places)('with %s and without the script of the frame, one press goes on', async (_place, options) => {
    const { viewer, sites } = await arrive(engine, { ...options, entryPoint: { hasScript: false } })
    await viewer.openLogin(CHANNEL)
    await signInInWindow(viewer)
    await viewer.goBack()
    await viewer.press(CONTINUE)
    await viewer.untilPlaying()
    expect(sites.outcomes()).toEqual(['sso-started', 'sso-signed-in', 'signed-in'])
    expect(viewer.complaints()).toEqual([])
  })

  test('where the sandbox allows no popups, the screen says so, and a password opens the video', async () => {
    const { viewer, sites } = await arrive(engine, { sandbox: WITHOUT_POPUPS })
    await viewer.openLogin(CHANNEL)
    await viewer.press(START)
    await viewer.press(CONTINUE)
    expect(await viewer.textOf('[role="alert"]')).toBe(errorText('en', 'window.ssoNotYet'))
    expect(await viewer.countWindows()).toBe(1)
    await signInWithPassword(viewer)
    await viewer.untilPlaying()
    expect(sites.outcomes()).toEqual(['sso-not-yet', 'signed-in'])
  })

  test('where popups keep the sandbox and the provider has COOP, the screen says so after a press', async () => {
    const { viewer, sites } = await arrive(engine, { sandbox: `${WITHOUT_POPUPS} allow-popups` })
    await viewer.openLogin(CHANNEL)
    await viewer.press(START)
    await expect.poll(() => sites.outcomes(), { timeout: 20_000 }).toEqual(['sso-started'])
    await viewer.goBack()
    await viewer.press(CONTINUE)
    expect(await viewer.textOf('[role="alert"]')).toBe(errorText('en', 'window.ssoNotYet'))
  })
})

test.each(['chromium', 'firefox'] as const)('in %s, a viewer who returns needs no window', async (engine) => {
  const { viewer, sites } = await arrive(engine)
  await viewer.openLogin(CHANNEL)
  await signInInWindow(viewer)
  await viewer.untilPlaying()
  await viewer.openLogin(VIDEO)
  await viewer.untilPlaying()
  expect(sites.outcomes()).toEqual(['sso-started', 'sso-signed-in', 'signed-in', 'returned'])
})

test('in webkit, which keeps no session of a frame, the window of a viewer who returns passes by itself', async () => {
  const { viewer, sites } = await arrive('webkit')
  await viewer.openLogin(CHANNEL)
  await signInInWindow(viewer)
  await viewer.untilPlaying()
  await viewer.openLogin(VIDEO)
  await viewer.press(START)
  await viewer.untilPlaying()
  // A second start within a minute has no line.
  expect(sites.outcomes()).toEqual(['sso-started', 'sso-signed-in', 'signed-in', 'sso-signed-in', 'signed-in'])
})

test.each([
  ['chromium', 'firefox'],
  ['firefox', 'chromium'],
  ['webkit', 'webkit-no-scripts'],
] as const)(
  'a viewer in %s without popups types the code of another device, and the video plays',
  async (engine, device) => {
    const { viewer, sites } = await arrive(engine, { sandbox: WITHOUT_POPUPS, settings: { hasCode: true } })
    await viewer.openLogin(CHANNEL)
    await viewer.press('a.device')
    await viewer.type('#code', await codeFrom(device, sites))
    await viewer.press('.fields .primary')
    await viewer.untilPlaying()
    expect(sites.outcomes()).toEqual(['sso-started', 'sso-signed-in', 'signed-in'])
  },
)

test.each([
  ['chromium', true],
  ['chromium', false],
  ['firefox', true],
] as const)('in %s (script: %s), the video plays with each step at another copy', async (engine, hasScript) => {
  const redis = await startRedis()
  onTestFinished(() => redis.remove())
  const { viewer, sites } = await arrive(engine, { sharedStoreUrl: redis.url, entryPoint: { hasScript } })
  await viewer.openLogin(CHANNEL)
  await signInInWindow(viewer)
  await viewer.goBack()
  if (!hasScript) await viewer.press(CONTINUE)
  await viewer.untilPlaying()
  expect(sites.outcomes()).toEqual(['sso-signed-in', 'sso-started', 'signed-in'])
})

test.each(WITHOUT_SCRIPTS)('in %s, the frame passes the response to the player after a press', async (kind) => {
  const { viewer, sites } = await arrive(kind, { isWithoutPlayer: true })
  await viewer.openLogin(CHANNEL)
  await viewer.press(START)
  await viewer.choose('ada')
  await expect.poll(() => sites.outcomes(), { timeout: 20_000 }).toEqual(['sso-started', 'sso-signed-in'])
  await viewer.goBack()
  await viewer.press(CONTINUE)
  await viewer.untilPassed()
  expect(sites.outcomes()).toEqual(['sso-started', 'sso-signed-in', 'signed-in'])
})

describe.each(['chromium', 'firefox'] as const)('in %s', (engine) => {
  test.each([COEP, CORP])('a player with COEP does not show a login app without %s', async (header) => {
    const sites = await startFourSites({ playerHeaders: { [COEP]: 'require-corp' }, loginHeaders: { [header]: null } })
    const { page, waitForFrame, complaints } = await (await browsers.open(engine)).openPage()
    onTestFinished(() => page.close())
    await page.goto(sites.pageOf(CHANNEL))
    const player = await waitForFrame(`${sites.service}/embed/`)
    await player.evaluate(`document.querySelector('[data-log-in]').click()`)
    const faults = () => [...complaints, ...page.frames().map((frame) => frame.url())].join()
    await expect.poll(faults, { timeout: 20_000, interval: 50 }).toMatch(/BlockedByResponse|was blocked|blockedByCOEP/)
  })
})

/** Signs in as Ada on another device, and returns the code that the device shows. */
async function codeFrom(device: Kind, { login }: Sites): Promise<string> {
  const person = 'button[value="ada@lakeside.example"]'
  if (isWebKit(device)) {
    const webkit = await browsers.openWebKit(device)
    await webkit.open(`${login}/sso`)
    await webkit.press('.primary')
    await webkit.press(person)
    return webkit.textOf('.code')
  }
  const { page } = await (await browsers.open(device)).openPage()
  onTestFinished(() => page.close())
  await page.goto(`${login}/sso`)
  await press(page.mainFrame(), '.primary')
  await press(page.mainFrame(), person)
  await page.waitForSelector('.code')
  return page.$eval('.code', ({ textContent }) => textContent ?? '')
}

async function signInWithPassword(viewer: Viewer): Promise<void> {
  await viewer.press('#use-password')
  await viewer.type('#username', ADA.username)
  await viewer.type('#password', ADA.password)
  await viewer.press('#sign-in .primary')
}
