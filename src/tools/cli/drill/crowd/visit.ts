import { randomBytes } from 'node:crypto'
import { type Browser, type BrowserAnswer, codeOf } from './browser.ts'
import { type ExpectedResponse, endOfResponse } from './expected-response.ts'
import { type Judgment, judge, type Outcome, type RequestKind, WAYS_TO_THE_PLAYER } from './judge.ts'
import type { Credentials } from './plan.ts'
import type { Post, SignInForm } from './sign-in-form.ts'
import type { Timetable } from './timetable.ts'

/** The plan of one viewer. Times are in milliseconds since the start of the drill. */
export interface PlannedVisit {
  readonly viewer: Credentials
  readonly arrivesAtMs: number
  /** The number of wrong passwords before the right one. */
  readonly wrongPasswords: number
  /** The time from the sign-in to the return with the session cookie. Null without a return. */
  readonly returnsAfterMs: number | null
  /** What the viewer does besides the return, once the sign-in has ended. */
  readonly further?: (visitor: Visitor, signedIn: Entry) => Promise<void>
}

/** The visit of one viewer. Times are in milliseconds since the start; null for what has not happened. */
export interface Visit {
  readonly arrivedMs: number
  gotInMs: number | null
  returned: Entry | null
  /** The end of the sign-in, then of the return. */
  end: Entry | null
}

/** The end of a try to get in. */
export interface Entry {
  readonly isIn: boolean
  readonly atMs: number
  /** The last reason. Null if the viewer is in, or the drill was stopped. */
  readonly fault: string | null
  /** The reason that the app gave. */
  readonly reason?: string | undefined
  /** The address of the player, with the response. Null if the viewer is not in. */
  readonly location: string | null
}

/** One request of a viewer. Times are in milliseconds since the start of the drill. */
export interface Attempt {
  readonly kind: RequestKind
  /** The time at which the request was due. */
  readonly dueMs: number
  /** The delay with which this program sent the request. */
  readonly lateMs: number
  /** From the time when it was due to the end of the answer. */
  readonly waitMs: number
  readonly outcome: Outcome
  readonly fault: string
  /** The reason that the app gave for 401, 403, 429 or 503, or for a page on which viewers wait. */
  readonly reason?: string | undefined
  /** The end of the response, as UNIX time in seconds. Null if it has none. Undefined without a response. */
  readonly expiresAtSeconds?: number | null | undefined
}

/** True if the viewer got a right response. */
export function gotIn({ kind, outcome }: Attempt): boolean {
  return outcome === 'passed' && WAYS_TO_THE_PLAYER.includes(kind)
}

/** A viewer with a browser, and what all viewers of a drill share. */
export interface Visitor {
  readonly viewer: Credentials
  readonly browser: Browser
  /** Opens a browser for another screen, which the caller closes. */
  readonly openOther: () => Browser
  readonly timetable: Timetable
  readonly url: URL
  readonly expected: ExpectedResponse
  readonly form: SignInForm
  readonly record: (attempt: Attempt) => void
  /** The time that a viewer takes to type. */
  readonly typingMs: number
  /** No request is due after this time: the viewer gives up. */
  readonly lastMs: number
}

interface Tried {
  readonly judgment: Judgment
  readonly atMs: number
  /** Null without an answer. */
  readonly answer: BrowserAnswer | null
}

interface Step {
  readonly kind: RequestKind
  readonly dueMs: number
  readonly send: () => Promise<BrowserAnswer>
}

/** Without Retry-After, a viewer tries again after this time. */
const TRY_AGAIN_MS = 2_000
/** A viewer waits this long also after "Retry-After: 0", or a date that is over. */
const LEAST_PAUSE_MS = 500
const MOST_ERRORS = 2
/** How often a viewer looks for a mail. */
const LOOK_AGAIN_MS = 100
/** Outcomes after which the viewer tries again. */
const TEMPORARY: readonly Outcome[] = ['asked-to-wait', 'unanswered', 'error']

/** Plays one viewer: opens the screen, types, signs in, tries again where the app asks for it, and may come back. */
export async function playVisit(plan: PlannedVisit, visit: Visit, visitor: Visitor): Promise<void> {
  const signedIn = await signIn(visitor, plan.arrivesAtMs, plan.wrongPasswords)
  visit.end = signedIn
  if (signedIn.isIn) visit.gotInMs = signedIn.atMs
  const further = plan.further?.(visitor, signedIn)
  if (signedIn.isIn && plan.returnsAfterMs !== null) {
    visit.returned = await comeBack(visitor, signedIn.atMs + plan.returnsAfterMs)
    visit.end = visit.returned
  }
  await further
}

/** Opens the screen at this time, and signs the viewer in. */
export async function signIn(visitor: Visitor, atMs: number, wrongPasswords = 0): Promise<Entry> {
  const { viewer, browser, url, timetable, form } = visitor
  const post = ({ path, fields }: Post) =>
    browser.post((url.pathname === '/' ? '' : url.pathname) + path, {
      ...Object.fromEntries(url.searchParams),
      ...fields,
    })
  const typed = (kind: RequestKind, what: Post) => {
    const dueMs = timetable.nowMs() + pauseToType(visitor)
    return { kind, dueMs, send: () => post(what) }
  }
  const screen = await sendUntilFinal(visitor, { kind: 'screen', dueMs: atMs, send: () => openScreen(visitor, false) })
  if (screen?.judgment.outcome !== 'passed') return endOf(visitor, screen)
  let asked: Tried | null = null
  if (form.ask !== undefined) {
    asked = await sendUntilFinal(visitor, typed('ask', form.ask.post(viewer)))
    if (asked?.judgment.outcome !== 'passed') return endOf(visitor, asked)
    const fault = await faultInArrival(visitor, form.ask)
    if (fault !== null) return { ...endOf(visitor, null), fault: timetable.isStopped() ? null : fault }
  }
  const answer = asked?.answer ?? null
  for (let left = wrongPasswords; left > 0; left -= 1) {
    const typo = form.post(viewer, randomBytes(4).toString('hex'), answer)
    if ((await sendUntilFinal(visitor, typed('wrong', typo))) === null) return endOf(visitor, null)
  }
  return await getIn(visitor, typed('right', form.post(viewer, null, answer)))
}

/** Comes back at this time with the session, or signs in again without one. */
export async function comeBack(visitor: Visitor, atMs: number): Promise<Entry> {
  if (!visitor.browser.hasCookies()) return await signIn(visitor, atMs)
  return await getIn(visitor, { kind: 'return', dueMs: atMs, send: () => openScreen(visitor, true) })
}

/** Sends a request after which the viewer may be in, and waits with the viewer as long as the app asks for it. */
async function getIn(visitor: Visitor, first: Step): Promise<Entry> {
  for (let request = first; ; ) {
    const tried = await sendUntilFinal(visitor, request)
    if (tried?.judgment.outcome === 'session-ended') return await signIn(visitor, tried.atMs)
    const next = tried?.judgment.outcome === 'held' ? nextWhileHeld(visitor, request, tried) : null
    if (next === null || next.dueMs > visitor.lastMs) return endOf(visitor, tried)
    request = next
  }
}

/** Returns the next request of a viewer who waits: the page loads again, or the viewer tries again. Null: the viewer leaves. */
function nextWhileHeld(visitor: Visitor, request: Step, { judgment, atMs, answer }: Tried): Step | null {
  const { refresh } = answer ?? {}
  if (refresh) return { kind: 'wait', dueMs: atMs + refresh.afterMs, send: () => visitor.browser.follow(refresh.path) }
  const againMs = visitor.expected.holds?.[judgment.reason ?? '']?.() ?? null
  return againMs === null ? null : { ...request, dueMs: Math.max(atMs, againMs) + pauseToType(visitor) }
}

/** Waits for what the viewer asked for. @returns why the viewer gives up; null once it is there. */
async function faultInArrival(
  { viewer, timetable, record }: Visitor,
  { hasCome, patienceMs, missing }: NonNullable<SignInForm['ask']>,
): Promise<string | null> {
  const dueMs = timetable.nowMs()
  const waitMs = () => timetable.nowMs() - dueMs
  const recordAs = (outcome: Outcome, fault: string, reason?: string) =>
    record({ kind: 'arrival', dueMs, lateMs: 0, waitMs: waitMs(), outcome, fault, reason })
  while (!hasCome(viewer)) {
    if (waitMs() > patienceMs) {
      recordAs('refused', missing, missing)
      return missing
    }
    if (!(await timetable.until(timetable.nowMs() + LOOK_AGAIN_MS))) return missing
  }
  recordAs('passed', '')
  return null
}

/**
 * Sends a request until its answer is final, and gives up after the second error or at the end of the drill.
 * @returns the last try; null if the drill was stopped.
 */
async function sendUntilFinal(visitor: Visitor, { kind, dueMs: firstDueMs, send }: Step): Promise<Tried | null> {
  const { viewer, timetable, expected, form, lastMs } = visitor
  let errors = 0
  for (let dueMs = firstDueMs; ; ) {
    if (!(await timetable.until(dueMs))) return null
    const lateMs = timetable.nowMs() - dueMs
    const sent = await send().catch((error: unknown) => `no answer (${codeOf(error)})`)
    if (timetable.isStopped()) return null
    const atMs = timetable.nowMs()
    const answer = typeof sent === 'string' ? null : sent
    const judgment: Judgment =
      typeof sent === 'string'
        ? { outcome: 'unanswered', fault: sent }
        : judge(kind, sent, viewer.username, expected, Date.now() / 1000, form.typed)
    const expiresAtSeconds = endOfResponse(answer?.location ?? null)
    visitor.record({ kind, dueMs, lateMs, waitMs: atMs - dueMs, ...judgment, expiresAtSeconds })
    errors += judgment.outcome === 'error' ? 1 : 0
    dueMs = atMs + pauseMsAfter(answer?.retryAfterSeconds ?? null)
    const triesAgain = TEMPORARY.includes(judgment.outcome) && errors < MOST_ERRORS && dueMs <= lastMs
    if (!triesAgain) return { judgment, atMs, answer }
  }
}

/** @param askedSeconds from Retry-After; null without. */
function pauseMsAfter(askedSeconds: number | null): number {
  const leastMs = askedSeconds === null ? TRY_AGAIN_MS : Math.max(LEAST_PAUSE_MS, askedSeconds * 1000)
  return leastMs * (1 + Math.random() / 2)
}

const pauseToType = ({ typingMs }: Visitor) => typingMs * (0.5 + Math.random())

const openScreen = ({ browser, url }: Visitor, withCookies: boolean) =>
  browser.open(url.pathname + url.search, withCookies)

/** @param tried null if the drill was stopped. */
function endOf({ timetable }: Visitor, tried: Tried | null): Entry {
  const { judgment, atMs, answer } = tried ?? {}
  const isIn = judgment?.outcome === 'passed'
  return {
    isIn,
    atMs: atMs ?? timetable.nowMs(),
    fault: isIn ? null : (judgment?.fault ?? null),
    reason: judgment?.reason,
    location: isIn ? (answer?.location ?? null) : null,
  }
}
