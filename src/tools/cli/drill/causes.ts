import { countWords } from '../output/words.ts'
import type { Attempt } from './crowd/visit.ts'
import type { DrillPart } from './drill-part.ts'
import { percentile, ranking } from './verdict/criteria.ts'

/** A reason why sign-ins were slow or failed. */
export interface Cause {
  /** `slow-sign-ins`, or the reason that the app gave: `overloaded`, `store-down` and others. */
  readonly name: string
  readonly answers: number
  /** A sentence that also says what to do. */
  readonly text: string
}

const SLOW_MS = 1_000
/** Then the screens are fast enough, so that only the passwords can be slow. */
const TIMES_SLOWER = 4

const TEXTS: Readonly<Record<string, string>> = {
  overloaded:
    'too many passwords or tokens waited for a core. The app has too few cores for this event: give it more cores or copies',
  'store-down': 'the user store or the access policy was away',
}

/** Returns the sign-ins in a second: at most, and on average from the first one to the last one. */
export function signInRate(attempts: readonly Attempt[]) {
  const signInSeconds = attempts
    .filter(({ kind, outcome }) => kind === 'right' && (outcome === 'passed' || outcome === 'held'))
    .map(({ dueMs, waitMs }) => Math.floor((dueMs + waitMs) / 1000))
  const seconds = signInSeconds.toSorted((a, b) => a - b)
  const lasted = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0) + 1
  const [[, highest] = ['', 0]] = ranking(seconds.map(String))
  return { highest, average: Math.round((signInSeconds.length / lasted) * 10) / 10 }
}

/**
 * Finds why sign-ins were slow or failed, the most frequent reason first.
 * @param away the settings of the stores that `/health/ready` named meanwhile.
 * @param ofWayIn what reasons mean for its viewers.
 */
export function causesOf(
  attempts: readonly Attempt[],
  away: readonly string[],
  features: readonly DrillPart[],
  ofWayIn: Readonly<Record<string, string>> = {},
): Cause[] {
  const texts: typeof TEXTS = Object.assign({}, TEXTS, ...features.map(({ refusals }) => refusals), ofWayIn)
  const named = (wanted: Attempt['outcome']) =>
    ranking(attempts.flatMap(({ outcome, reason }) => (outcome === wanted && reason) || []))
  const asked = named('asked-to-wait').map(([name, answers]): Cause => {
    const stores = name === 'store-down' && away.length > 0 ? `, as ${away.join(' and ')} did not answer` : ''
    const why = texts[name] ?? `the app gave the reason ${name}`
    return { name, answers, text: `${countWords(answers, 'answer')} asked to wait: ${why}${stores}.` }
  })
  const refused = named('refused').flatMap(([name, answers]) => {
    const why = texts[name]
    return why === undefined
      ? []
      : [{ name, answers, text: `${countWords(answers, 'sign-in')} got no response: ${why}.` }]
  })
  return [...asked, ...refused, ...slowSignIns(attempts, asked.length > 0)]
}

/** @param isExplained true if the app itself gave a reason. */
function slowSignIns(attempts: readonly Attempt[], isExplained: boolean): Cause[] {
  const slowestOf = (kind: Attempt['kind']) =>
    percentile(
      attempts.filter((attempt) => attempt.kind === kind).map(({ waitMs }) => waitMs),
      0.95,
    )
  const screenMs = slowestOf('screen')
  const rightMs = slowestOf('right')
  if (isExplained || rightMs < SLOW_MS) return []
  const answers = attempts.filter(({ kind, waitMs }) => kind === 'right' && waitMs >= SLOW_MS).length
  const why =
    rightMs > TIMES_SLOWER * screenMs
      ? 'The screens were fast: passwords wait for a core, or the user store is slow'
      : 'The screens were slow too: the app, its proxy or this machine has too few cores'
  const text = `${countWords(answers, 'sign-in')} took more than a second. ${why}.`
  return [{ name: 'slow-sign-ins', answers, text }]
}
