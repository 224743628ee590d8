import { randomBytes } from 'node:crypto'
import { type Browser, type BrowserAnswer, codeOf } from './browser.ts'
import type { ExpectedResponse } from './expected-response.ts'
import { type Judgment, judge, type Outcome, type RequestKind } from './judge.ts'
import type { PlannedVisit } from './plan.ts'
import type { Post, SignInForm } from './sign-in-form.ts'
import type { Timetable } from './timetable.ts'

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
  /** The reason that the app gave for 401, 403, 429 or 503. */
  readonly reason?: string | undefined
}

export interface VisitDeps {
  readonly browser: Browser
  readonly timetable: Timetable
  readonly url: URL
  readonly expected: ExpectedResponse
  readonly form: SignInForm
  readonly record: (attempt: Attempt) => void
  /** Called when the viewer is in for the first time. */
  readonly onSignedIn: () => void
  /** The time that a viewer takes to type. */
  readonly typingMs: number
  /** No request is due after this time: the viewer gives up. */
  readonly lastMs: number
}

export type VisitEnd =
  | { readonly isIn: true; readonly atMs: number }
  /** `fault` is the last reason. Null if the drill was stopped. */
  | { readonly isIn: false; readonly fault: string | null }

interface Tried {
  readonly judgment: Judgment
  readonly atMs: number
  /** Null without an answer. */
  readonly answer: BrowserAnswer | null
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
export async function playVisit(visit: PlannedVisit, deps: VisitDeps): Promise<VisitEnd> {
  const signedIn = await signIn(visit, deps, visit.arrivesAtMs, visit.wrongPasswords)
  if (signedIn.isIn) deps.onSignedIn()
  if (!signedIn.isIn || visit.returnsAfterMs === null) return signedIn
  return await comeBack(visit, deps, signedIn.atMs + visit.returnsAfterMs)
}

async function signIn(
  visit: PlannedVisit,
  deps: VisitDeps,
  arrivesAtMs: number,
  wrongPasswords: number,
): Promise<VisitEnd> {
  const { browser, url, timetable, form } = deps
  const { viewer } = visit
  const post = ({ path, fields }: Post) =>
    browser.post((url.pathname === '/' ? '' : url.pathname) + path, {
      ...Object.fromEntries(url.searchParams),
      ...fields,
    })
  const nextMs = () => timetable.nowMs() + deps.typingMs * (0.5 + Math.random())
  const screen = await sendUntilFinal(
    'screen',
    arrivesAtMs,
    () => browser.open(url.pathname + url.search, false),
    visit,
    deps,
  )
  if (screen?.judgment.outcome !== 'passed') return givenUp(screen)
  let asked: Tried | null = null
  if (form.ask !== undefined) {
    const { ask } = form
    asked = await sendUntilFinal('ask', nextMs(), () => post(ask.post(viewer)), visit, deps)
    if (asked?.judgment.outcome !== 'passed') return givenUp(asked)
    const fault = await faultInArrival(ask, visit, deps)
    if (fault !== null) return { isIn: false, fault: timetable.isStopped() ? null : fault }
  }
  const answer = asked?.answer ?? null
  for (let left = wrongPasswords; left > 0; left -= 1) {
    const typo = form.post(viewer, randomBytes(4).toString('hex'), answer)
    const mistyped = await sendUntilFinal('wrong', nextMs(), () => post(typo), visit, deps)
    if (mistyped === null) return givenUp(null)
  }
  const right = await sendUntilFinal('right', nextMs(), () => post(form.post(viewer, null, answer)), visit, deps)
  if (right?.judgment.outcome !== 'passed') return givenUp(right)
  return { isIn: true, atMs: right.atMs }
}

/** Waits for what the viewer asked for. @returns why the viewer gives up; null once it is there. */
async function faultInArrival(
  { hasCome, patienceMs, missing }: NonNullable<SignInForm['ask']>,
  { viewer }: PlannedVisit,
  { timetable, record }: VisitDeps,
): Promise<string | null> {
  const dueMs = timetable.nowMs()
  const waitMs = () => timetable.nowMs() - dueMs
  while (!hasCome(viewer)) {
    if (waitMs() > patienceMs) {
      record({
        kind: 'arrival',
        dueMs,
        lateMs: 0,
        waitMs: waitMs(),
        outcome: 'refused',
        fault: missing,
        reason: missing,
      })
      return missing
    }
    if (!(await timetable.until(timetable.nowMs() + LOOK_AGAIN_MS))) return missing
  }
  record({ kind: 'arrival', dueMs, lateMs: 0, waitMs: waitMs(), outcome: 'passed', fault: '' })
  return null
}

async function comeBack(visit: PlannedVisit, deps: VisitDeps, atMs: number): Promise<VisitEnd> {
  const { browser, url } = deps
  if (!browser.hasCookies()) return await signIn(visit, deps, atMs, 0)
  const back = await sendUntilFinal('return', atMs, () => browser.open(url.pathname + url.search, true), visit, deps)
  if (back?.judgment.outcome === 'session-ended') return await signIn(visit, deps, back.atMs, 0)
  return back?.judgment.outcome === 'passed' ? { isIn: true, atMs: back.atMs } : givenUp(back)
}

/**
 * Sends a request until its answer is final, and gives up after the second error or at the end of the drill.
 * @returns the last try; null if the drill was stopped.
 */
async function sendUntilFinal(
  kind: RequestKind,
  firstDueMs: number,
  send: () => Promise<BrowserAnswer>,
  { viewer }: PlannedVisit,
  deps: VisitDeps,
): Promise<Tried | null> {
  const { timetable, record } = deps
  let errors = 0
  for (let dueMs = firstDueMs; ; ) {
    if (!(await timetable.until(dueMs))) return null
    const lateMs = timetable.nowMs() - dueMs
    const sent = await send().catch((error: unknown) => `no answer (${codeOf(error)})`)
    if (timetable.isStopped()) return null
    const atMs = timetable.nowMs()
    const judgment: Judgment =
      typeof sent === 'string'
        ? { outcome: 'unanswered', fault: sent }
        : judge(kind, sent, viewer.username, deps.expected, Date.now() / 1000, deps.form.typed)
    record({ kind, dueMs, lateMs, waitMs: atMs - dueMs, ...judgment })
    errors += judgment.outcome === 'error' ? 1 : 0
    dueMs = atMs + pauseMsAfter(typeof sent === 'string' ? null : sent.retryAfterSeconds)
    const triesAgain = TEMPORARY.includes(judgment.outcome) && errors < MOST_ERRORS && dueMs <= deps.lastMs
    if (!triesAgain) return { judgment, atMs, answer: typeof sent === 'string' ? null : sent }
  }
}

/** @param askedSeconds from Retry-After; null without. */
function pauseMsAfter(askedSeconds: number | null): number {
  const leastMs = askedSeconds === null ? TRY_AGAIN_MS : Math.max(LEAST_PAUSE_MS, askedSeconds * 1000)
  return leastMs * (1 + Math.random() / 2)
}

function givenUp(tried: Tried | null): VisitEnd {
  return { isIn: false, fault: tried?.judgment.fault ?? null }
}
