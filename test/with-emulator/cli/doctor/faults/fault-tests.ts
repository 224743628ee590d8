import { setTimeout as wait } from 'node:timers/promises'
import type { ElementHandle, Frame, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../../src/tools/emulator/start-emulator.ts'
import { type LaunchedBrowser, launchBrowser } from '../../../../browser/launch.ts'
import { hasAllRows } from '../../../../rows.ts'
import { type Findings, runDoctor } from '../findings.ts'
import { authority } from './certificates.ts'
import { examine, type Fault, type Hand, type Installation, install } from './installation.ts'

/** What a viewer in a real browser met. */
interface Sight {
  /** True if each embed of the page opened, and a sign-in was needed. */
  readonly isThrough: boolean
  /** What was seen last. */
  readonly seen: string
}

const LOAD_MS = 12_000
/** After so long without a change, nothing comes. */
const PATIENCE_MS = 5_000
const MOST_MS = 45_000
const LOOK_EVERY_MS = 100
/** A player, a chat or both, at the service. */
const EMBED = /^\/(?:embed|combined|chat|qna)\/(?:recorded\/)?\d+$/
/** States of the player from which it does not go on by itself. */
const ENDS = ['refused', 'unreachable', 'cancelled']
const STATE = `document.querySelector('[data-state]')?.dataset.state ?? ''`
/** What moves on a screen on which a viewer waits. */
const HEADING = `[...document.querySelectorAll('h1, .countdown')].map((one) => one.textContent).join(' ')`
/** A chat has no video. Without a real click, browsers play only without sound. */
const PLAY = `(() => {
  const video = document.querySelector('video')
  if (!video) return 1
  video.muted = true
  if (video.paused) video.play().catch(() => {})
  return video.currentTime
})()`

/**
 * Opens the page of an installation, signs the test viewer in to each of its embeds, and looks if they open. A second
 * viewer does the same without the script of the sign-in screen, as in old browsers.
 */
async function watch(browser: LaunchedBrowser, installation: Watched): Promise<Sight> {
  const first = await watchOnce(browser, installation, true)
  return first.isThrough ? await watchOnce(browser, installation, false) : first
}

type Watched = Installation & { readonly page: URL }

async function watchOnce({ browser }: LaunchedBrowser, installation: Watched, hasScript: boolean): Promise<Sight> {
  // A player keeps its response in the browser.
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  try {
    if (!hasScript) await blockScript(page)
    const problem = await page.goto(installation.page.href, { timeout: LOAD_MS, waitUntil: 'domcontentloaded' }).then(
      () => null,
      (error: unknown) => String(error),
    )
    if (problem !== null) return { isThrough: false, seen: problem }
    return await watchEmbeds(page, installation)
  } finally {
    await context.close()
  }
}

async function blockScript(page: Page): Promise<void> {
  await page.setRequestInterception(true)
  page.on('request', (request) => {
    const isScript = /\/login[^/]*\.js/.test(request.url())
    void (isScript ? request.abort() : request.continue()).catch(() => {})
  })
}

async function watchEmbeds(page: Page, installation: Installation): Promise<Sight> {
  const embeds = page.mainFrame().childFrames()
  const own = embeds.filter((frame) => frame.url() !== 'about:blank')
  let seen = 'no frame'
  let isAsked = false
  for (const embed of own.length > 0 ? own : embeds.slice(0, 1)) {
    const visit = { hasSignedIn: false, pressed: new Set<string>() }
    const startMs = performance.now()
    for (let changedMs = startMs; ; await wait(LOOK_EVERY_MS)) {
      const state = await step(embed, visit, installation).catch((error: unknown) => `error: ${String(error)}`)
      const now = `${state} at ${framesOf(embed).map(addressOf).join(' > ')}`
      if (now !== seen) changedMs = performance.now()
      seen = now
      if (state === 'open') break
      const isOver = performance.now() > Math.min(changedMs + PATIENCE_MS, startMs + MOST_MS)
      if (ENDS.includes(state) || state.startsWith('alert') || isOver) return { isThrough: false, seen }
    }
    isAsked ||= visit.hasSignedIn
  }
  return isAsked ? { isThrough: true, seen } : { isThrough: false, seen: `${seen}, without a sign-in` }
}

/** Without the answer of the login app. */
function addressOf(frame: Frame): string {
  return frame.url().replace(/(hash|vt)=[^&]*/, '$1=…')
}

function framesOf(frame: Frame): Frame[] {
  return [frame, ...frame.childFrames().flatMap(framesOf)]
}

interface Visit {
  hasSignedIn: boolean
  readonly pressed: Set<string>
}

/** Does what a viewer would do next. Returns the state of the embed. */
async function step(embed: Frame, visit: Visit, installation: Installation): Promise<string> {
  const { emulator, env, viewer } = installation
  const url = URL.canParse(embed.url()) ? new URL(embed.url()) : null
  let state = 'elsewhere'
  if (url?.origin === emulator.url && EMBED.test(url.pathname)) {
    state = String(await embed.evaluate(STATE))
    if (state === 'open') return Number(await embed.evaluate(PLAY)) > 0 ? 'open' : 'opening'
    if (state === 'locked') await pressOnce(embed, '[data-log-in]', visit)
  }
  if (framesOf(embed).some((frame) => frame.url().startsWith('chrome-error:'))) return 'refused'
  const screen = framesOf(embed).find((frame) => frame.url().startsWith(env.PUBLIC_URL ?? '-'))
  if (screen === undefined) return state
  const alert = await screen.$('[role="alert"]')
  if (visit.hasSignedIn && alert !== null) {
    return `alert: ${await alert.evaluate(({ textContent }) => textContent?.trim())}`
  }
  if (viewer === undefined && (await screen.$('#sso-start'))) return `${state}: ${await startSso(screen, visit)}`
  const done = await (viewer ?? typePassword)(handOn(screen, visit), installation)
  return `${state}: ${await screen.evaluate(HEADING)} ${done ?? ''}`
}

function handOn(screen: Frame, visit: Visit): Hand {
  return {
    screen,
    async type(texts) {
      const [first = ''] = Object.keys(texts)
      if (visit.pressed.has(first) || (await screen.$(first)) === null) return
      for (const [field, text] of Object.entries(texts)) await fill(await screen.$(field), text)
      visit.pressed.add(first)
      visit.hasSignedIn = true
      await (await screen.$(`form:has(${first}) .primary`))?.evaluate(click)
    },
    press: (selector) => pressOnce(screen, selector, visit),
  }
}

async function typePassword({ type }: Hand, { args, env }: Installation): Promise<void> {
  await type({ '#password': env.VIEWER_PASSWORD ?? '', '#username': viewerOf(args) })
}

async function startSso(screen: Frame, visit: Visit): Promise<string> {
  visit.hasSignedIn = true
  await pressOnce(screen, '#sso-start .primary', visit)
  return 'single sign-on'
}

async function pressOnce(frame: Frame, selector: string, { pressed }: Visit): Promise<void> {
  const element = pressed.has(selector) ? null : await frame.$(selector)
  if (element === null) return
  pressed.add(selector)
  // A form opens a window only after a real click.
  if (selector.startsWith('#sso')) await element.click()
  else await element.evaluate(click)
}

async function fill(field: ElementHandle | null, value: string): Promise<void> {
  await field?.evaluate((element, text) => Object.assign(element, { value: text }), value)
}

function click(element: unknown): void {
  ;(element as { click(): void }).click()
}

/** Returns the viewer of `--viewer`, or the viewer of the tests. */
function viewerOf(args: readonly string[]): string {
  const at = args.indexOf('--viewer')
  return (at === -1 ? undefined : args[at + 1]) ?? 'ada@example.com'
}

const ALL_CLEAR = /^Viewers will get through/

type Judgment = 'agreement' | 'false all-clear' | 'false alarm' | 'blind spot' | 'not for browsers'

/**
 * Tests the doctor on installations with one fault each. `npm run test:soak` also lets Chromium judge them.
 * @returns what the doctor finds in another installation.
 */
export function testFaults(title: string, faults: readonly Fault[]): (fault: Fault) => Promise<Findings> {
  const service = sharedService()
  describe(`the doctor: ${title}`, () => {
    test.each(faults)('$name', async (fault) => {
      const { verdict, findings } = await examine(fault, service())
      expect(causesIn(findings)).toEqual(fault.findings)
      expect(ALL_CLEAR.test(verdict)).toBe(fault.isHarmless ?? false)
      // The head of a token.
      expect(JSON.stringify(findings)).not.toContain('eyJ')
    })
    test('each installation has a name of its own', () => {
      expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
    })
  })
  if (hasAllRows) judgeFaults(title, faults)
  return (fault) => examine(fault, service())
}

/** Compares the doctor with Chromium: does a viewer who signs in see the video? */
export function judgeFaults(title: string, faults: readonly Fault[]): void {
  const service = sharedService()
  let browser: LaunchedBrowser
  beforeAll(async () => {
    browser = await launchBrowser('chromium', undefined, (await authority()).certificate)
    return () => browser.close()
  })

  describe(`the doctor and Chromium: ${title}`, () => {
    const results: { judgment: Judgment; isCauseFirst: boolean }[] = []

    test.each(faults)('$name', async (fault) => {
      const installation = await install(fault, service())
      const { verdict, findings } = await runDoctor(installation.args, installation)
      // The doctor had a slow clock.
      vi.restoreAllMocks()
      const { isThrough, seen } = await watch(browser, installation)
      const judgment = judgmentOf(fault, verdict, isThrough)
      const causes = causesIn(findings)
      results.push({ judgment, isCauseFirst: firstOf(causes) === firstOf(fault.findings) })
      const seenByBoth = { name: fault.name, judgment, verdict, isThrough, seen }
      console.log(JSON.stringify({ ...seenByBoth, causes }))
      expect({ ...seenByBoth, cause: firstOf(causes) }).toMatchObject({
        judgment: fault.blindSpot ? 'blind spot' : fault.notForBrowsers ? 'not for browsers' : 'agreement',
        cause: firstOf(fault.findings),
      })
    })

    test('no all-clear is false, and the cause comes first', () => {
      const count = (judgment: Judgment) => results.filter((one) => one.judgment === judgment).length
      const causes = results.filter(({ isCauseFirst }) => isCauseFirst).length
      console.log(
        `${title}: ${results.length - count('not for browsers')} judged by Chromium, ${count('agreement')} agree, ${count('false all-clear')} false all-clears, ${count('false alarm')} false alarms, ${count('blind spot')} blind spots, the cause first in ${causes} of ${results.length}`,
      )
      expect([count('false all-clear'), count('false alarm'), causes]).toEqual([0, 0, faults.length])
    })
  })
}

/** An emulator takes as long to start as all else. */
function sharedService(): () => RunningEmulator {
  let service: RunningEmulator
  beforeAll(async () => {
    service = await startEmulator({ port: 0, seed: { views: 0 } })
  })
  afterAll(() => service.close())
  return () => service
}

function causesIn(findings: Findings['findings']): string[] {
  return findings.filter(({ state }) => state !== 'ok').map(({ state, code }) => `${state} ${code}`)
}

/** The verdict names the first failure. A warning before it may be about something else. */
function firstOf(causes: readonly string[]): string | undefined {
  return causes.find((cause) => cause.startsWith('failure')) ?? causes[0]
}

/** An unproven verdict agrees with both. */
function judgmentOf({ blindSpot, notForBrowsers }: Fault, verdict: string, isThrough: boolean): Judgment {
  if (blindSpot !== undefined) return isThrough ? 'agreement' : 'blind spot'
  if (ALL_CLEAR.test(verdict) && !isThrough) return 'false all-clear'
  if (notForBrowsers !== undefined) return 'not for browsers'
  return isThrough && !/^(Viewers will get through|Not proven)/.test(verdict) ? 'false alarm' : 'agreement'
}
