import {
  type Check,
  check,
  generator,
  longestWait,
  partWords,
  waitWords,
} from '../../../../cli/drill/verdict/criteria.ts'
import { countWords, numberWords } from '../../../../cli/output/words.ts'
import type { EveningTimes } from './evening-plan.ts'
import type { EveningAttempt } from './evening-visit.ts'
import type { EveningRecord } from './run-evening.ts'

/** Early viewers must be in the player so soon after the opening. */
const PROMPT_MS = 10_000
const LEAST_PROMPT = 0.99

export interface EveningLimits {
  readonly times: EveningTimes
  /** The limit on the screens of a viewer. Null without a limit. */
  readonly screens: { readonly most: number } | null
  /** The longest that a viewer may wait for an answer. */
  readonly maxWaitMs: number
}

/** Judges an evening by ten criteria, and more for the limit on screens and for the video. @param planned the number of viewers. */
export function verdictOnEvening(record: EveningRecord, planned: number, limits: EveningLimits): Check[] {
  const { attempts, visits } = record
  const inside = visits.filter(({ gotInMs }) => gotInMs !== null).length
  const outside = visits.flatMap(({ gotInMs, fault }) => (gotInMs === null ? [fault ?? 'stopped'] : []))
  const back = visits.flatMap((visit) => visit.return ?? [])
  const backIn = back.filter(({ isIn }) => isIn).length
  const busy = attempts.filter(({ outcome }) => outcome === 'asked-to-wait')
  const odd = attempts.filter(({ outcome }) => outcome === 'error' || outcome === 'unanswered')
  const faultsOf = (some: readonly EveningAttempt[]) => some.map(({ fault }) => fault)
  return [
    beforeOpening(record, limits.times),
    opening(record, limits.times),
    check('viewers', inside === planned, `${partWords(inside, planned, 'viewer')} got in.`, outside),
    check(
      'returns',
      backIn === back.length,
      `${partWords(backIn, back.length, 'viewer')} came back and got in again.`,
      [],
      back.length > 0,
    ),
    ...moreScreens(record, limits),
    ...watching(record),
    afterEnd(record, limits.times),
    responses(record, limits.times),
    check('overload', busy.length === 0, `The app asked to wait ${countWords(busy.length, 'time')} (503 or 429).`, [
      ...busy.map(({ fault, reason }) => reason ?? fault),
    ]),
    check('errors', odd.length === 0, `${countWords(odd.length, 'error')}.`, faultsOf(odd)),
    longestWait(attempts, limits),
    generator(attempts),
  ]
}

const isResponse = ({ reply }: EveningAttempt) => reply === 'response'

function beforeOpening({ attempts, startedAtMs }: EveningRecord, { opensMs }: EveningTimes): Check {
  const early = attempts.filter(
    (attempt) => isResponse(attempt) && startedAtMs + attempt.dueMs + attempt.waitMs < opensMs,
  )
  const text =
    early.length === 0
      ? 'No viewer got in before the doors opened, also after their start was moved.'
      : `${countWords(early.length, 'response')} went out before the doors opened. Does the app at this address read the file of these settings, and did it have doors at its start?`
  return check('before-opening', early.length === 0, text)
}

function opening({ attempts, visits, startedAtMs }: EveningRecord, { opensMs }: EveningTimes): Check {
  const atMs = opensMs - startedAtMs
  const early = visits.filter(({ arrivedMs }) => arrivedMs < atMs)
  const waits = early.map(({ gotInMs }) => (gotInMs === null ? Number.POSITIVE_INFINITY : gotInMs - atMs))
  const prompt = waits.filter((wait) => wait <= PROMPT_MS).length
  const last = waits.filter(Number.isFinite).reduce((most, wait) => Math.max(most, wait), 0)
  const text = `${partWords(prompt, early.length, 'early viewer')} ${prompt === 1 ? 'was' : 'were'} in the player within ${waitWords(PROMPT_MS)} after the opening, the last one after ${waitWords(last)}.`
  const isMet = prompt >= early.length * LEAST_PROMPT
  const signInAgain = attempts.some(({ reason }) => reason === 'not-open-yet')
  const advice = signInAgain ? ' They had to type their passwords again: WAITING_ROOM=on lets them wait.' : ''
  return check('opening', isMet, isMet ? text : text + advice)
}

function watching({ watched }: EveningRecord): Check[] {
  if (watched.length === 0) return []
  const count = watched.filter(Boolean).length
  return [
    check('watching', count === watched.length, `${partWords(count, watched.length, 'viewer')} watched the video.`),
  ]
}

function moreScreens({ visits }: EveningRecord, { screens }: EveningLimits): Check[] {
  if (screens === null) return []
  const shared = visits.flatMap((visit) => visit.moreScreens ?? [])
  const noticed = shared.filter(({ isNoticed }) => isNoticed).length
  const text = `${partWords(noticed, shared.length, 'viewer')} with ${countWords(screens.most + 1, 'screen')} lost a screen or had to choose. The limit is ${numberWords(screens.most)}.`
  return [check('screens', noticed === shared.length && shared.length > 0, text, [], shared.length > 0)]
}

function afterEnd({ attempts, visits, startedAtMs }: EveningRecord, { closesMs }: EveningTimes): Check {
  const tries = visits.filter((visit) => visit.afterEnd !== null).length
  const late = attempts.filter(
    (attempt) => isResponse(attempt) && startedAtMs + attempt.dueMs + attempt.lateMs >= closesMs,
  )
  const text =
    late.length === 0
      ? `No viewer got in after the end. ${countWords(tries, 'viewer')} tried.`
      : `${countWords(late.length, 'response')} went out after the end.`
  return check('after-end', late.length === 0 && tries > 0, text, [], tries > 0)
}

function responses({ attempts }: EveningRecord, { closesMs }: EveningTimes): Check {
  const all = attempts.filter(isResponse)
  const wrong = all.filter(({ outcome }) => outcome === 'wrong-response')
  const outliving = all.filter(({ expiresAtSeconds: end }) => end === null || end * 1000 > closesMs)
  const text = `Responses: ${numberWords(all.length)}, ${numberWords(wrong.length)} of them wrong. ${numberWords(outliving.length)} would outlive the end.`
  return check(
    'responses',
    wrong.length === 0 && outliving.length === 0,
    text,
    wrong.map(({ fault }) => fault),
  )
}
