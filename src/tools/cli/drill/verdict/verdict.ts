import { countWords, numberWords } from '../../output/words.ts'
import type { DrillRecord } from '../crowd/run-drill.ts'
import { BY_PASSWORD, type SignInForm } from '../crowd/sign-in-form.ts'
import { type Attempt, gotIn } from '../crowd/visit.ts'
import { type Check, check, checkNone, generator, type Limits, longestWait, partWords, waitWords } from './criteria.ts'
import { faultSpans, recoveryMs, type Span } from './recovery.ts'

/** Judges the whole drill by nine criteria. */
export function verdictOn(
  record: DrillRecord,
  planned: number,
  limits: Limits,
  { words, typed }: Pick<SignInForm, 'words' | 'typed'> = BY_PASSWORD,
): Check[] {
  const { attempts, visits } = record
  const of = (outcome: Attempt['outcome']) => attempts.filter((attempt) => attempt.outcome === outcome)
  const inside = visits.filter(({ end }) => end?.isIn).length
  const outside = visits.flatMap(({ end }) => (end?.isIn ? [] : [end?.fault ?? 'stopped']))
  const wrong = attempts.filter(({ kind }) => kind === 'wrong').length
  const unexpected = [...of('error'), ...of('refused')]
  const spans = faultSpans(record, limits.recoverWithinMs)
  const unexplained = of('unanswered').filter((attempt) => !isWithin(attempt, spans))
  const letIn = of('let-in-wrongly')
  const badResponses = of('wrong-response')
  return [
    check('sign-ins', inside === planned, `${partWords(inside, planned, 'viewer')} got in ${words}.`, outside),
    checkNone(
      'wrong-passwords',
      letIn,
      letIn.length === 0
        ? `No response went out without the right ${typed}. Tried ${countWords(wrong, `wrong ${typed}`)}.`
        : `${countWords(letIn.length, 'response')} went out without the right ${typed}.`,
      wrong > 0 || letIn.length > 0,
    ),
    checkNone(
      'responses',
      badResponses,
      `Responses: ${numberWords(attempts.filter(gotIn).length)} right, ${numberWords(badResponses.length)} wrong.`,
    ),
    checkNone(
      'errors',
      unexpected,
      `${countWords(unexpected.length, 'error')}. The app asked to wait ${countWords(of('asked-to-wait').length, 'time')} (503 or 429 with Retry-After).`,
    ),
    checkNone(
      'unanswered',
      unexplained,
      `${countWords(of('unanswered').length, 'request')} got no answer, ${numberWords(unexplained.length)} of them outside of commands and outages.`,
    ),
    longestWait(attempts, limits),
    recovery(record, limits),
    commandsRan(record),
    generator(attempts),
  ]
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
  return check('recovery', late.length === 0, text, late, expected.length > 0)
}

function commandsRan({ commands }: DrillRecord): Check {
  const failed = commands.filter(({ exitStatus }) => exitStatus !== 0)
  const ended = partWords(commands.length - failed.length, commands.length, 'command')
  const text = commands.length === 0 ? 'No command ran.' : `${ended} ended with exit status 0.`
  return check(
    'commands',
    failed.length === 0,
    text,
    failed.map(({ command, exitStatus }) => `"${command}": exit status ${exitStatus ?? 'unknown'}`),
    commands.length > 0,
  )
}

/** True if the request overlaps one of the spans. */
function isWithin({ dueMs, waitMs }: Attempt, spans: readonly Span[]): boolean {
  return spans.some(({ fromMs, toMs }) => dueMs <= toMs && dueMs + waitMs >= fromMs)
}
