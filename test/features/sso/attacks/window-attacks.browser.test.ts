import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CALLBACK_PATH } from '../../../../src/features/sso/open-sso.ts'
import type { SsoSettings } from '../../../../src/features/sso/settings/sso-settings.ts'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import { pressKey } from '../../../browser/press-and-type.ts'
import { launchWebKit } from '../../../browser/webkit.ts'
import { entryPointAt } from '../../../login/entry-point.ts'
import { hasAllRows, rowsFor } from '../../../rows.ts'
import { withSso } from '../entry-point.ts'
import {
  cookiesOf,
  fieldOf,
  type OpenedWindow,
  openWindow,
  pressContinue,
  refreshOf,
  type SsoApp,
  startHeaders,
  startSso,
  until,
  visitProvider,
} from '../start-sso.ts'
import { type EvilProvider, type EvilSites, type Place, startEvilProvider, startEvilSites } from './evil-sites.ts'
import { type FrontAnswer, startFront, type Weakness } from './weak-front.ts'

/** A viewer in front of a browser. */
interface Victim {
  /** False for a browser that keeps no Secure cookie of http://localhost. */
  readonly isSecureKept: boolean
  /** Opens an address, and resolves when its page has loaded. Rejects if the page closes itself. */
  open(address: string): Promise<unknown>
  /** True if the frame of the page shows an element. */
  hasInFrame(selector: string): Promise<boolean>
  press(selector: string): Promise<unknown>
}

/** The app, a victim with a browser, and an attacker with pages, a provider and a client of HTTP. */
interface Scene {
  readonly app: SsoApp
  readonly answers: readonly FrontAnswer[]
  readonly victim: Victim
  readonly evil: EvilSites
  readonly evilProvider: EvilProvider
}

interface WindowAttack {
  readonly name: string
  /** The guard that stops the attack, taken out. */
  readonly weakness: Weakness
  readonly settings?: Partial<SsoSettings>
  /** The status with which the app refuses. Null if the browser refuses. */
  readonly refusal: number | null
  /** Returns true if the attacker won. */
  run(scene: Scene): Promise<boolean>
}

const hasAnswer = ({ answers }: Scene, path: string, status: number) =>
  answers.some((answer) => answer.path === path && answer.status === status)
const isRefused = ({ answers }: Scene) => answers.some(({ status }) => status >= 400)
/** The attacker collects what the victim left behind. */
const collects = async ({ app }: Scene, mine: Pick<OpenedWindow, 'wait'>, basePath = '') =>
  (await pressContinue(app, mine, basePath)).status === 303

/** Waits for the callback, or for a refusal. */
const windowEnds = (scene: Scene) =>
  until(() => isRefused(scene) || scene.answers.some(({ path }) => path === CALLBACK_PATH))

/** Does not wait for the page: it may close itself, or lead to a player that does not exist. */
function visit({ victim }: Scene, address: string): void {
  victim.open(address).catch(() => {})
}

async function collectsAfter(scene: Scene, mine: OpenedWindow, address: string): Promise<boolean> {
  visit(scene, address)
  await windowEnds(scene)
  return collects(scene, mine)
}

function postToStart(place: Place): WindowAttack {
  return {
    name: `a form of ${place} starts a sign-in for the frame of the attacker`,
    weakness: 'every origin looks like our own',
    refusal: 403,
    async run(scene) {
      const mine = await openWindow(scene.app)
      const address = scene.evil.posting(place, `${scene.app.origin}/sso/start`, { flow: mine.flow })
      return collectsAfter(scene, mine, address)
    },
  }
}

function postToContinue(place: Place): WindowAttack {
  return {
    name: `a form of ${place} signs the victim in as the attacker`,
    weakness: 'every origin looks like our own',
    refusal: 403,
    async run(scene) {
      const mine = await openWindow(scene.app)
      await scene.app.get(await visitProvider(mine.address), { Cookie: mine.cookie })
      visit(scene, scene.evil.posting(place, `${scene.app.origin}/sso/continue`, { wait: mine.wait }))
      await until(() => scene.answers.some(({ path }) => path === '/sso/continue'))
      return hasAnswer(scene, '/sso/continue', 303)
    },
  }
}

function frameOf(path: string, place: Place): WindowAttack {
  return {
    name: `a page of ${place} frames ${path}`,
    weakness: 'every page may frame',
    settings: { hasCode: true },
    refusal: null,
    async run({ app, answers, victim, evil }) {
      // Ends when the frame has loaded, or is blocked.
      await victim.open(evil.framing(place, `${app.origin}${path}`))
      await until(() => answers.length > 0)
      return await victim.hasInFrame('main.card')
    },
  }
}

const WINDOW_ATTACKS: readonly WindowAttack[] = [
  {
    name: 'a link starts a sign-in for the frame of the attacker',
    weakness: 'a link may start a sign-in',
    refusal: 405,
    async run(scene) {
      const mine = await openWindow(scene.app)
      return collectsAfter(scene, mine, `${scene.app.origin}/sso/start?flow=${mine.flow}`)
    },
  },
  {
    name: 'a link leads to the provider with the state of the attacker',
    weakness: 'every window has every cookie',
    refusal: 400,
    async run(scene) {
      const mine = await openWindowThroughFront(scene)
      return collectsAfter(scene, mine, mine.address)
    },
  },
  postToStart('another site'),
  postToStart('another port'),
  postToContinue('another site'),
  postToContinue('another port'),
  {
    name: 'a link leads to the unused callback of the attacker',
    weakness: 'every window has every cookie',
    refusal: 400,
    async run(scene) {
      const mine = await openWindowThroughFront(scene)
      visit(scene, `${scene.app.origin}${await visitProvider(mine.address)}`)
      await windowEnds(scene)
      return hasAnswer(scene, CALLBACK_PATH, 200)
    },
  },
  frameOf('/sso', 'another site'),
  frameOf('/sso', 'another port'),
  frameOf(`${CALLBACK_PATH}?code=c&state=s`, 'another site'),
  {
    name: 'a second provider gets a code of the first one, and the attacker signs in with it',
    weakness: 'no answer names its issuer',
    refusal: 400,
    async run(scene) {
      const { app, victim, evilProvider } = scene
      const mine = await openWindow(app)
      evilProvider.send(mine.address)
      await victim.open(`${app.origin}/e/evil`)
      await victim.press('#sso-start .primary')
      await windowEnds(scene)
      const [code] = evilProvider.codes
      if (code === undefined) return false
      const { searchParams } = new URL(mine.address)
      const query = new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: app.provider.issuer })
      await app.get(`${CALLBACK_PATH}?${query}`, { Cookie: mine.cookie })
      return collects(scene, mine)
    },
  },
]

/** The attacker starts a sign-in where the front sees the cookie. */
async function openWindowThroughFront({ app }: Scene): Promise<OpenedWindow> {
  const { text } = await app.get('/')
  const flow = fieldOf({ text }, 'flow')
  const headers = { ...startHeaders(app), 'Content-Type': 'application/x-www-form-urlencoded' }
  const answer = await fetch(`${app.origin}/sso/start`, { method: 'POST', headers, body: `flow=${flow}` })
  const setCookies = answer.headers.getSetCookie()
  const address = refreshOf({ headers: { refresh: answer.headers.get('refresh') ?? '' } })
  return { wait: fieldOf({ text }, 'wait'), flow, cookie: cookiesOf({ setCookies }), address }
}

/** Opens a fresh profile of Chromium or Firefox until the test ends. */
async function victimIn(browser: Browser): Promise<Victim> {
  const context = await browser.createBrowserContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  return {
    isSecureKept: true,
    open: (address) => page.goto(address),
    async hasInFrame(selector) {
      const [frame] = page.mainFrame().childFrames()
      const element = (await frame?.$(selector).catch(() => null)) ?? null
      return element !== null
    },
    press: (selector) => pressKey(page.mainFrame(), selector),
  }
}

/** Starts WebKit until the test ends. */
async function victimInWebKit(): Promise<Victim> {
  const webkit = await launchWebKit('webkit')
  onTestFinished(() => webkit.close().catch(() => {}))
  return {
    isSecureKept: false,
    open: webkit.open,
    async hasInFrame(selector) {
      await webkit.enterFrame('iframe')
      return (await webkit.evaluate(`document.querySelector('${selector}') !== null`)) === true
    },
    press: webkit.press,
  }
}

/**
 * Runs an attack against a fresh app.
 * @returns true if the attacker won, and true if the app refused with the status of the attack.
 */
async function runAttack(victim: Victim, attack: WindowAttack, weakness: Weakness | null) {
  const front = await startFront(weakness, victim.isSecureKept)
  const evil = await startEvilSites()
  const evilProvider = await startEvilProvider()
  const app = await startSso({
    origin: front.origin,
    ...(attack.settings && { settings: attack.settings }),
    entryPointsWith: (sso) => [withSso(sso), withSso({ ...sso, issuer: evilProvider.issuer }, entryPointAt('evil'))],
  })
  front.connect(app.port)
  const { answers } = front
  const isWon = await attack.run({ app, answers, victim, evil, evilProvider })
  return { isWon, isRefused: answers.some(({ status }) => status === attack.refusal) }
}

async function expectDefense(victim: Victim, attack: WindowAttack): Promise<void> {
  const { isWon, isRefused } = await runAttack(victim, attack, null)
  expect([isWon, isRefused]).toEqual([false, attack.refusal !== null])
}

let chromium: LaunchedBrowser
let firefox: LaunchedBrowser
beforeAll(async () => {
  chromium = await launchBrowser('chromium')
  if (hasAllRows) firefox = await launchBrowser('firefox')
})
afterAll(async () => {
  await chromium.close()
  if (hasAllRows) await firefox.close()
})

test.each(WINDOW_ATTACKS)('an attack fails in Chromium: $name', async (attack) => {
  await expectDefense(await victimIn(chromium.browser), attack)
})

const ELSEWHERE = rowsFor<readonly [string, () => Promise<Victim>]>(
  [],
  [
    ['Firefox', () => victimIn(firefox.browser)],
    ['WebKit', victimInWebKit],
  ],
)
describe.each(ELSEWHERE)('in %s', (_browser, victim) => {
  test.each(WINDOW_ATTACKS)('an attack fails: $name', async (attack) => {
    await expectDefense(await victim(), attack)
  })
})

const EVERYWHERE = rowsFor<readonly [string, () => Promise<Victim>]>(
  [],
  [['Chromium', () => victimIn(chromium.browser)], ...ELSEWHERE],
)
describe.each(EVERYWHERE)('in %s, without a guard', (_browser, victim) => {
  test.each(WINDOW_ATTACKS)('the attack succeeds that the guard stops: $name', async (attack) => {
    expect((await runAttack(await victim(), attack, attack.weakness)).isWon).toBe(true)
  })
})
