import { parseAuthenticationResponse } from '../../../../../hash-lock/check-response.ts'
import { type Browser, type BrowserAnswer, codeOf } from '../../../../cli/drill/crowd/browser.ts'
import { type ExpectedResponse, faultInResponse, responseIn } from '../../../../cli/drill/crowd/expected-response.ts'
import type { Timetable } from '../../../../cli/drill/crowd/timetable.ts'
import type { Attempt } from '../../../../cli/drill/crowd/visit.ts'
import type { PlannedEvening } from './evening-plan.ts'

/** An answer of the app, as the browser of a viewer understands it. */
type Reply =
  /** The player gets this response. */
  | { readonly name: 'response'; readonly response: string; readonly address: URL }
  /** The browser loads another address of the app: at once, or later. */
  | { readonly name: 'next'; readonly path: string; readonly afterMs: number | null }
  | { readonly name: 'sign-in-screen' }
  /** 403 with the reason on the screen, such as `over`. */
  | { readonly name: 'refused'; readonly reason: string }
  /** 503 or 429 with Retry-After. */
  | {
      readonly name: 'asked-to-wait'
      readonly status: number
      readonly seconds: number
      readonly reason?: string | undefined
    }
  | { readonly name: 'odd'; readonly fault: string }

const REFRESH = /^(\d{1,5})\s*;\s*url=(.+)$/i

/** One request of an evening. Times are in milliseconds since the start. */
export interface EveningAttempt extends Attempt {
  readonly reply: Reply['name'] | 'unanswered'
  /** The end of the response, as UNIX time in seconds. Null without an end or a response. */
  readonly expiresAtSeconds: number | null
}

/** The evening of one viewer. Times are in milliseconds since the start; null for what did not happen. */
export interface EveningVisit {
  readonly arrivedMs: number
  /** The app first said that the event is not open yet. */
  waitedFromMs: number | null
  gotInMs: number | null
  /** The return with the session, and if it led to the player. */
  return: { readonly atMs: number; readonly isIn: boolean } | null
  /** The sign-ins on more screens than the limit. */
  moreScreens: { readonly atMs: number; readonly isNoticed: boolean } | null
  /** The try after the end. */
  afterEnd: { readonly atMs: number; readonly isIn: boolean } | null
  /** Why the viewer did not get in. Null if the viewer is in, or the drill was stopped. */
  fault: string | null
}

export interface EveningDeps {
  readonly browser: Browser
  /** Opens the browser of another screen. */
  readonly openOther: () => Browser
  /** The limit on the screens of a viewer. Null without a limit. */
  readonly screens: { readonly most: number; readonly reason: string } | null
  readonly timetable: Timetable
  readonly url: URL
  readonly expected: ExpectedResponse
  /** Called when the viewer comes. The visit changes until its end. */
  readonly begin: (visit: EveningVisit) => void
  readonly record: (attempt: EveningAttempt) => void
  /** Returns the opening that the screens show, in milliseconds since the start. */
  readonly opensMs: () => number
  readonly closesMs: number
  /** Called with the first response of the viewer. */
  readonly watch: (reply: Extract<Reply, { name: 'response' }>) => void
  /** The time that a viewer takes to type, or to press a button after the opening. */
  readonly typingMs: number
  /** No request is due after this time: the viewer gives up. */
  readonly lastMs: number
}

interface Step {
  readonly kind: Attempt['kind']
  readonly dueMs: number
  readonly send: () => Promise<BrowserAnswer>
}

type Entry = { readonly isIn: boolean; readonly atMs: number; readonly fault: string | null }

/** Without Retry-After, a viewer tries again after this time. */
const TRY_AGAIN_MS = 2_000
const LEAST_PAUSE_MS = 500
const MOST_FAULTS = 2

/** Plays one viewer: comes, waits for the opening, passes on, comes back, and tries again after the end. */
export async function playEvening(plan: PlannedEvening, deps: EveningDeps): Promise<void> {
  const nothingYet = { waitedFromMs: null, gotInMs: null, return: null, moreScreens: null, afterEnd: null, fault: null }
  const visit: EveningVisit = { arrivedMs: plan.arrivesMs, ...nothingYet }
  deps.begin(visit)
  const { browser, url, closesMs } = deps
  const enter = (step: Step) => enterFrom(step, plan, visit, deps)
  const open = (withCookies: boolean) => () => browser.open(url.pathname + url.search, withCookies)
  const openScreen = (dueMs: number): Step => ({ kind: 'screen', dueMs, send: open(false) })
  const comeBack = (dueMs: number): Step => ({ kind: 'return', dueMs, send: open(true) })
  const first = await enter(openScreen(plan.arrivesMs))
  visit.fault = first.fault
  if (first.isIn) visit.gotInMs = first.atMs
  const returnsMs = first.atMs + (plan.returnsAfterMs ?? Number.POSITIVE_INFINITY)
  // A later return could meet the end.
  if (first.isIn && returnsMs < closesMs - deps.typingMs) visit.return = await enter(comeBack(returnsMs))
  const sharesMs = first.atMs + (plan.moreScreensAfterMs ?? Number.POSITIVE_INFINITY)
  if (first.isIn && sharesMs < closesMs - 4 * deps.typingMs)
    visit.moreScreens = await openMoreScreens(sharesMs, plan, visit, deps)
  if (plan.afterEnd === null || deps.timetable.isStopped()) return
  const { how, atMs } = plan.afterEnd
  visit.afterEnd = await enter(how === 'session' && browser.hasCookies() ? comeBack(atMs) : openScreen(atMs))
}

/** Signs in on more screens than the limit. Then the first screen comes back: one of them is refused. */
async function openMoreScreens(
  dueMs: number,
  plan: PlannedEvening,
  visit: EveningVisit,
  deps: EveningDeps,
): Promise<EveningVisit['moreScreens']> {
  const { browser, url, screens, openOther } = deps
  const path = url.pathname + url.search
  const faults: (string | null)[] = []
  let atMs = dueMs
  for (let screen = 0; screen < (screens?.most ?? 0); screen += 1) {
    const other = openOther()
    const step: Step = { kind: 'screen', dueMs: atMs, send: () => other.open(path, false) }
    const entry = await enterFrom(step, plan, visit, { ...deps, browser: other })
    faults.push(entry.fault)
    atMs = entry.atMs
  }
  const back: Step = { kind: 'return', dueMs: atMs + deps.typingMs, send: () => browser.open(path, true) }
  faults.push((await enterFrom(back, plan, visit, deps)).fault)
  return { atMs: dueMs, isNoticed: faults.some((fault) => fault === screens?.reason) }
}

/** Goes on as a browser and its viewer do, until the viewer is in the player or is refused for good. */
async function enterFrom(first: Step, plan: PlannedEvening, visit: EveningVisit, deps: EveningDeps): Promise<Entry> {
  const { timetable, browser, url } = deps
  let faults = 0
  for (let step = first; ; ) {
    const isDue = await timetable.until(step.dueMs)
    const sent = isDue ? await send(step, plan, deps) : null
    const atMs = timetable.nowMs()
    const out = (fault: string | null): Entry => ({ isIn: false, atMs, fault })
    if (sent === null) return out(null)
    const { reply, fault } = sent
    if (reply.name === 'response' && fault === '' && visit.gotInMs === null) deps.watch(reply)
    if (reply.name === 'response' && fault === '') return { isIn: true, atMs, fault: null }
    if (reply.name === 'response') return out(fault)
    if (reply.name === 'refused' && reply.reason !== 'not-open-yet') return out(fault)
    faults += reply.name === 'odd' || reply.name === 'unanswered' ? 1 : 0
    if (faults === MOST_FAULTS) return out(fault)
    if (isHeld(reply)) visit.waitedFromMs ??= atMs
    step = next(step, reply, atMs)
    if (step.dueMs > deps.lastMs) return out(fault === '' ? 'still waiting at the end' : fault)
  }

  function next(step: Step, reply: Answered, atMs: number): Step {
    const pauseMs = deps.typingMs * (0.5 + Math.random())
    if (reply.name === 'next')
      return { kind: 'return', dueMs: atMs + (reply.afterMs ?? 0), send: () => browser.follow(reply.path) }
    if (reply.name === 'sign-in-screen') return { kind: 'right', dueMs: atMs + pauseMs, send: signIn }
    // The screen has named the opening. It may move meanwhile: then the next screen names another one.
    if (reply.name === 'refused')
      return { kind: 'right', dueMs: Math.max(atMs, deps.opensMs()) + pauseMs, send: signIn }
    const leastMs = reply.name === 'asked-to-wait' ? Math.max(LEAST_PAUSE_MS, reply.seconds * 1000) : TRY_AGAIN_MS
    return { ...step, dueMs: atMs + leastMs * (1 + Math.random() / 2) }
  }
  function signIn(): Promise<BrowserAnswer> {
    const { username, password } = plan.viewer
    const fields = { ...Object.fromEntries(url.searchParams), username, password }
    return browser.post(`${url.pathname === '/' ? '' : url.pathname}/sign-in`, fields)
  }
}

type Answered = Reply | { readonly name: 'unanswered'; readonly fault: string }

/** True if the app keeps the viewer until the opening. */
const isHeld = (reply: Answered) => reply.name === 'refused' || (reply.name === 'next' && reply.afterMs !== null)

/** Sends one request, and records it. Null if the drill was stopped meanwhile. */
async function send(
  { kind, dueMs, send: sendNow }: Step,
  { viewer }: PlannedEvening,
  { timetable, url, expected, record }: EveningDeps,
): Promise<{ reply: Answered; fault: string } | null> {
  const lateMs = timetable.nowMs() - dueMs
  const reply = await sendNow().then(
    (answer): Answered => readReply(answer, url.origin),
    (error: unknown): Answered => ({ name: 'unanswered', fault: `no answer (${codeOf(error)})` }),
  )
  if (timetable.isStopped()) return null
  const { outcome, fault, reason } = judged(reply, viewer.username, expected)
  const expiresAtSeconds =
    reply.name === 'response' ? (parseAuthenticationResponse(reply.response)?.expiresAtSeconds ?? null) : null
  const waitMs = timetable.nowMs() - dueMs
  record({ kind, dueMs, lateMs, waitMs, outcome, fault, reason, reply: reply.name, expiresAtSeconds })
  return { reply, fault }
}

function judged(
  reply: Answered,
  username: string,
  expected: ExpectedResponse,
): Pick<Attempt, 'outcome' | 'fault' | 'reason'> {
  switch (reply.name) {
    case 'response': {
      const fault = faultInResponse(reply.response, username, expected, Date.now() / 1000)
      return fault === null ? { outcome: 'passed', fault: '' } : { outcome: 'wrong-response', fault }
    }
    case 'asked-to-wait':
      return { outcome: 'asked-to-wait', fault: `${reply.status} with Retry-After`, reason: reply.reason }
    case 'refused':
      return { outcome: 'refused', fault: reply.reason, reason: reply.reason }
    case 'unanswered':
      return { outcome: 'unanswered', fault: reply.fault }
    case 'odd':
      return { outcome: 'error', fault: reply.fault }
    case 'next':
    case 'sign-in-screen':
      return { outcome: 'passed', fault: '' }
  }
}

/** Reads an answer. @param origin of the app: a browser that is led elsewhere has left the evening. */
export function readReply({ status, location, refresh, ...answer }: BrowserAnswer, origin: string): Reply {
  const response = responseIn(location)
  if (status === 303 && location !== null && response !== null)
    return { name: 'response', response, address: new URL(location) }
  const path = status === 303 && location !== null ? pathIn(location, origin) : null
  if (path !== null) return { name: 'next', path, afterMs: null }
  const [, seconds, address = ''] = REFRESH.exec(refresh ?? '') ?? []
  const later = seconds === undefined ? null : pathIn(address, origin)
  if (later !== null) return { name: 'next', path: later, afterMs: Number(seconds) * 1000 }
  if ((status === 503 || status === 429) && answer.retryAfterSeconds !== null)
    return { name: 'asked-to-wait', status, seconds: answer.retryAfterSeconds, reason: answer.reason }
  if (status === 200 && /<input\b[^>]*\bname="?password\b/i.test(answer.page)) return { name: 'sign-in-screen' }
  if (status === 403 || status === 401) return { name: 'refused', reason: answer.reason ?? String(status) }
  return { name: 'odd', fault: `${status} of the app` }
}

/** Returns the path and query of an address of the app; null for another address. */
function pathIn(address: string, origin: string): string | null {
  if (!URL.canParse(address, origin)) return null
  const url = new URL(address, origin)
  return url.origin === origin ? url.pathname + url.search : null
}
