import { countWords, numberWords } from '../output/words.ts'
import type { DrillRecord } from './crowd/run-drill.ts'
import { BY_PASSWORD, type SignInForm } from './crowd/sign-in-form.ts'
import type { Attempt } from './crowd/visit.ts'
import { faultSpans, recoveryMs, type Span } from './recovery.ts'

export interface Limits {
  readonly recoverWithinMs: number
  /** The longest that a viewer may wait for an answer. */
  readonly maxWaitMs: number
}

/** The result of one criterion. */
export interface Check {
  readonly name: string
  readonly isMet: boolean
  readonly text: string
}

/** This program was too slow to play the viewers if more than one in a hundred requests was later than this. */
const MOST_LATE_MS = 1_000
const MOST_REASONS = 4

/** Judges the whole drill by nine criteria. */
export function verdictOn(
  record: DrillRecord,
  planned: number,
  limits: Limits,
  { words, typed }: Pick<SignInForm, 'words' | 'typed'> = BY_PASSWORD,
): Check[] {
  const { attempts, ends } = record
  const of = (outcome: Attempt['outcome']) => attempts.filter((attempt) => attempt.outcome === outcome)
  const inside = ends.filter((end) => end.isIn).length
  const outside = ends.flatMap((end) => (end.isIn ? [] : [end.fault ?? 'stopped']))
  const wrong = attempts.filter(({ kind }) => kind === 'wrong').length
  const unexpected = [...of('error'), ...of('refused')]
  const spans = faultSpans(record, limits.recoverWithinMs)
  const unexplained = of('unanswered').filter((attempt) => !isWithin(attempt, spans))
  const letIn = of('let-in-wrongly')
  const badResponses = of('wrong-response')
  const responses = attempts.filter(
    ({ kind, outcome }) => outcome === 'passed' && (kind === 'right' || kind === 'return'),
  )
  return [
    check('sign-ins', inside === planned, `${partWords(inside, planned, 'viewer')} got in ${words}.`, outside),
    check(
      'wrong-passwords',
      letIn.length === 0,
      letIn.length === 0
        ? `No response went out without the right ${typed}. Tried ${countWords(wrong, `wrong ${typed}`)}.`
        : `${countWords(letIn.length, 'response')} went out without the right ${typed}.`,
      letIn.map(({ fault }) => fault),
    ),
    check(
      'responses',
      badResponses.length === 0,
      `Responses: ${numberWords(responses.length)} right, ${numberWords(badResponses.length)} wrong.`,
      badResponses.map(({ fault }) => fault),
    ),
    check(
      'errors',
      unexpected.length === 0,
      `${countWords(unexpected.length, 'error')}. The app asked to wait ${countWords(of('asked-to-wait').length, 'time')} (503 or 429 with Retry-After).`,
      unexpected.map(({ fault }) => fault),
    ),
    check(
      'unanswered',
      unexplained.length === 0,
      `${countWords(of('unanswered').length, 'request')} got no answer, ${numberWords(unexplained.length)} of them outside of commands and outages.`,
      unexplained.map(({ fault }) => fault),
    ),
    longestWait(attempts, limits),
    recovery(record, limits),
    commandsRan(record),
    generator(attempts),
  ]
}

/** @param faults reasons that a failed check names and counts. */
export function check(name: string, isMet: boolean, text: string, faults: readonly string[] = []): Check {
  return { name, isMet, text: isMet || faults.length === 0 ? text : `${text} Reasons: ${reasons(faults)}.` }
}

/** Counts equal reasons, the most frequent ones first. */
function reasons(faults: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const fault of faults) counts.set(fault, (counts.get(fault) ?? 0) + 1)
  const ranked = [...counts].toSorted(([, one], [, other]) => other - one)
  const listed = ranked
    .slice(0, MOST_REASONS)
    .map(([fault, times]) => (times === 1 ? fault : `${numberWords(times)} × ${fault}`))
  return [...listed, ...(ranked.length > MOST_REASONS ? ['others'] : [])].join('; ')
}

export function longestWait(attempts: readonly Attempt[], { maxWaitMs }: Pick<Limits, 'maxWaitMs'>): Check {
  const longest = attempts.reduce((most, { waitMs }) => Math.max(most, waitMs), 0)
  const text = `The longest wait for an answer was ${waitWords(longest)}, the limit is ${waitWords(maxWaitMs)}.`
  return check('longest-wait', longest <= maxWaitMs, text)
}

function recovery(record: DrillRecord, { recoverWithinMs }: Limits): Check {
  const expected = record.commands.filter(({ isOutage, endedMs }) => !isOutage && endedMs !== null)
  const late = expected.flatMap((command) => {
    const ms = recoveryMs(record, command)
    if (ms !== null && ms <= recoverWithinMs) return []
    return [`"${command.command}": ${ms === null ? 'no sign-in after it' : `only after ${waitWords(ms)}`}`]
  })
  const text =
    expected.length === 0
      ? 'No command after which sign-ins had to work again.'
      : `Sign-ins worked again within ${waitWords(recoverWithinMs)} after ${partWords(expected.length - late.length, expected.length, 'command')}.`
  return check('recovery', late.length === 0, text, late)
}

function commandsRan({ commands }: DrillRecord): Check {
  const failed = commands.filter(({ exitStatus }) => exitStatus !== 0)
  const text = `${partWords(commands.length - failed.length, commands.length, 'command')} ended with exit status 0.`
  return check(
    'commands',
    failed.length === 0,
    text,
    failed.map(({ command, exitStatus }) => `"${command}": exit status ${exitStatus ?? 'unknown'}`),
  )
}

export function generator(attempts: readonly Attempt[]): Check {
  const lateMs = percentile(
    attempts.map((attempt) => attempt.lateMs),
    0.99,
  )
  const text = `This machine sent 99 % of the requests within ${waitWords(lateMs)} of their time.`
  const advice =
    lateMs <= MOST_LATE_MS ? '' : ' It is too slow for this drill: use a longer --over or a faster machine.'
  return check('generator', lateMs <= MOST_LATE_MS, text + advice)
}

/** True if the request overlaps one of the spans. */
function isWithin({ dueMs, waitMs }: Attempt, spans: readonly Span[]): boolean {
  return spans.some(({ fromMs, toMs }) => dueMs <= toMs && dueMs + waitMs >= fromMs)
}

/** Returns the value below which this share of the numbers lies; 0 without numbers. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Returns milliseconds below a second, else seconds. */
export function waitWords(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  return `${(milliseconds / 1000).toLocaleString('en', { maximumFractionDigits: milliseconds < 10_000 ? 2 : 0 })} s`
}

export function partWords(part: number, whole: number, one: string): string {
  return `${numberWords(part)} of ${countWords(whole, one)}`
}
