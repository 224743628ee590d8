import type { DrillRecord } from '../../../../cli/drill/crowd/run-drill.ts'
import type { Attempt } from '../../../../cli/drill/crowd/visit.ts'
import {
  type Check,
  check,
  checkNone,
  generator,
  longestWait,
  partWords,
  waitWords,
} from '../../../../cli/drill/verdict/criteria.ts'
import { countWords, numberWords } from '../../../../cli/output/words.ts'
import type { EveningTimes } from './evening-plan.ts'
import type { Evening } from './evening-viewers.ts'

/** Early viewers must be in the player so soon after the opening. */
const PROMPT_MS = 10_000
const LEAST_PROMPT = 0.99

/**
 * Judges an evening by ten criteria, and more for the limit on screens and for the video.
 * @param planned the number of viewers.
 * @param maxWaitMs the longest that a viewer may wait for an answer.
 */
export function verdictOnEvening(record: DrillRecord, evening: Evening, planned: number, maxWaitMs: number): Check[] {
  const { attempts, visits } = record
  const { times } = evening
  const inside = visits.filter(({ gotInMs }) => gotInMs !== null).length
  const outside = visits.flatMap(({ gotInMs, end }) => (gotInMs === null ? [end?.fault ?? 'stopped'] : []))
  // A slow viewer may come back only at the end.
  const back = visits.flatMap(({ returned }) => (returned && returned.atMs < times.closesMs ? [returned] : []))
  const backIn = back.filter(({ isIn }) => isIn).length
  const busy = attempts.filter(({ outcome }) => outcome === 'asked-to-wait')
  const odd = attempts.filter(({ outcome }) => ['error', 'unanswered', 'let-in-wrongly'].includes(outcome))
  return [
    beforeOpening(record, times),
    opening(record, times),
    check('viewers', inside === planned, `${partWords(inside, planned, 'viewer')} got in.`, outside),
    check(
      'returns',
      backIn === back.length,
      `${partWords(backIn, back.length, 'viewer')} came back and got in again.`,
      [],
      back.length > 0,
    ),
    ...moreScreens(evening),
    ...watching(evening),
    afterEnd(record, evening),
    responses(record, times),
    checkNone('overload', busy, `The app asked to wait ${countWords(busy.length, 'time')} (503 or 429).`),
    checkNone('errors', odd, `${countWords(odd.length, 'error')}.`),
    longestWait(attempts, { maxWaitMs }),
    generator(attempts),
  ]
}

const isResponse = ({ expiresAtSeconds }: Attempt) => expiresAtSeconds !== undefined

function beforeOpening({ attempts }: DrillRecord, { opensMs }: EveningTimes): Check {
  const early = attempts.filter((attempt) => isResponse(attempt) && attempt.dueMs + attempt.waitMs < opensMs)
  const text =
    early.length === 0
      ? 'No viewer got in before the doors opened, also after their start was moved.'
      : `${countWords(early.length, 'response')} went out before the doors opened. Does the app at this address read the file of these settings, and did it have doors at its start?`
  return check('before-opening', early.length === 0, text)
}

function opening({ attempts, visits }: DrillRecord, { opensMs }: EveningTimes): Check {
  const waits = waitsForOpening(visits, opensMs)
  const prompt = waits.filter((wait) => wait <= PROMPT_MS).length
  const last = waits.filter(Number.isFinite).reduce((most, wait) => Math.max(most, wait), 0)
  const text = `${partWords(prompt, waits.length, 'early viewer')} ${prompt === 1 ? 'was' : 'were'} in the player within ${waitWords(PROMPT_MS)} after the opening, the last one after ${waitWords(last)}.`
  const isMet = prompt >= waits.length * LEAST_PROMPT
  const signInAgain = attempts.some(({ reason }) => reason === 'not-open-yet')
  const advice = signInAgain ? ' They had to type their passwords again: WAITING_ROOM=on lets them wait.' : ''
  return check('opening', isMet, isMet ? text : text + advice)
}

/** Returns how long each early viewer waited from the opening to the player. Infinite for a viewer who did not get in. */
export function waitsForOpening(visits: DrillRecord['visits'], opensMs: number): number[] {
  const early = visits.filter(({ arrivedMs }) => arrivedMs < opensMs)
  return early.map(({ gotInMs }) => (gotInMs === null ? Number.POSITIVE_INFINITY : Math.max(0, gotInMs - opensMs)))
}

function watching({ watched }: Evening): Check[] {
  if (watched.length === 0) return []
  const count = watched.filter(Boolean).length
  return [
    check('watching', count === watched.length, `${partWords(count, watched.length, 'viewer')} watched the video.`),
  ]
}

function moreScreens({ noticed: shared, screens }: Evening): Check[] {
  if (screens === null) return []
  const noticed = shared.filter(Boolean).length
  const text = `${partWords(noticed, shared.length, 'viewer')} with ${countWords(screens.most + 1, 'screen')} lost a screen or had to choose. The limit is ${numberWords(screens.most)}.`
  return [check('screens', noticed === shared.length && shared.length > 0, text, [], shared.length > 0)]
}

function afterEnd({ attempts }: DrillRecord, { late: { length: tries }, times: { closesMs } }: Evening): Check {
  const late = attempts.filter((attempt) => isResponse(attempt) && attempt.dueMs + attempt.lateMs >= closesMs)
  const text =
    late.length === 0
      ? `No viewer got in after the end. ${countWords(tries, 'viewer')} tried.`
      : `${countWords(late.length, 'response')} went out after the end.`
  return check('after-end', late.length === 0 && tries > 0, text, [], tries > 0)
}

function responses({ attempts, startedAtMs }: DrillRecord, { closesMs }: EveningTimes): Check {
  const all = attempts.filter(isResponse)
  const wrong = all.filter(({ outcome }) => outcome === 'wrong-response')
  const outliving = all.filter(({ expiresAtSeconds: end }) => !end || end * 1000 > startedAtMs + closesMs)
  const text = `Responses: ${numberWords(all.length)}, ${numberWords(wrong.length)} of them wrong. ${numberWords(outliving.length)} would outlive the end.`
  return check(
    'responses',
    wrong.length === 0 && outliving.length === 0,
    text,
    wrong.map(({ fault }) => fault),
  )
}
