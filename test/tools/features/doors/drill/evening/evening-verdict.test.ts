import { expect, test } from 'vitest'
import type { EveningTimes } from '../../../../../../src/tools/features/doors/drill/evening/evening-plan.ts'
import { verdictOnEvening } from '../../../../../../src/tools/features/doors/drill/evening/evening-verdict.ts'
import type { EveningAttempt } from '../../../../../../src/tools/features/doors/drill/evening/evening-visit.ts'
import { type EveningRecord, waveOf } from '../../../../../../src/tools/features/doors/drill/evening/run-evening.ts'

/** UNIX milliseconds. */
const START = 1_000_000_000
const at = (seconds: number) => START + seconds * 1000
const TIMES: EveningTimes = {
  startsMs: START,
  movesMs: at(15),
  firstOpeningMs: at(40),
  opensMs: at(50),
  closesMs: at(90),
  endsMs: at(100),
}

/** A response that was asked for, and came, at these seconds. */
function response(sentSeconds: number, cameSeconds: number, more: Partial<EveningAttempt> = {}): EveningAttempt {
  const waitMs = (cameSeconds - sentSeconds) * 1000
  const times = { dueMs: sentSeconds * 1000, lateMs: 0, waitMs }
  const expiresAtSeconds = TIMES.closesMs / 1000
  return { kind: 'right', ...times, outcome: 'passed', fault: '', reply: 'response', expiresAtSeconds, ...more }
}

function recordOf(
  attempts: readonly EveningAttempt[],
  gotInSeconds: number | null = 51,
  isNoticed = true,
): EveningRecord {
  const gotInMs = gotInSeconds === null ? null : gotInSeconds * 1000
  const moreScreens = { atMs: 60_000, isNoticed }
  const afterEnd = { atMs: 91_000, isIn: false }
  const visit = { arrivedMs: 10_000, waitedFromMs: 11_000, gotInMs, return: null, moreScreens, afterEnd, fault: null }
  return {
    startedAtMs: START,
    endedMs: 100_000,
    attempts: [...attempts],
    visits: [visit],
    watched: [isNoticed],
  }
}

function failedChecks(record: EveningRecord): string[] {
  const checks = verdictOnEvening(record, 1, { times: TIMES, screens: { most: 1 }, maxWaitMs: 10_000 })
  return checks.filter(({ isMet }) => !isMet).map(({ name }) => name)
}

test('an evening in which viewers get in between opening and end passes', () => {
  expect(failedChecks(recordOf([response(49.9, 50), response(89.9, 90.1)]))).toEqual([])
})

test.each<[string, EveningRecord, string[]]>([
  ['a viewer gets in before the doors open', recordOf([response(49.8, 49.9)]), ['before-opening']],
  ['a viewer gets in at the first start, which was moved', recordOf([response(41, 41.1)]), ['before-opening']],
  ['an early viewer gets in later than 10 s after the opening', recordOf([], 60.1), ['opening']],
  ['a viewer gets in after the end', recordOf([response(90, 90.1)]), ['after-end']],
  ['a response outlives the end', recordOf([response(51, 52, { expiresAtSeconds: 1_000_091 })]), ['responses']],
  ['a response has no end', recordOf([response(51, 52, { expiresAtSeconds: null })]), ['responses']],
  ['a viewer does not get in', recordOf([], null), ['opening', 'viewers']],
  [
    'the app asks to wait',
    recordOf([response(51, 52, { reply: 'asked-to-wait', outcome: 'asked-to-wait', reason: 'overloaded' })]),
    ['overload'],
  ],
  [
    'a request gets no answer',
    recordOf([response(51, 52, { reply: 'unanswered', outcome: 'unanswered' })]),
    ['errors'],
  ],
  ['no screen of a viewer is refused, and the video does not start', recordOf([], 51, false), ['screens', 'watching']],
])('an evening fails if %s', (_case, record, failed) => {
  expect(failedChecks(record)).toEqual(failed)
})

test('without a waiting room, a slow opening is explained', () => {
  const refused = response(20, 20.1, { reply: 'refused', outcome: 'refused', reason: 'not-open-yet' })
  const checks = verdictOnEvening(recordOf([refused], 70), 1, { times: TIMES, screens: null, maxWaitMs: 10_000 })
  const [opening] = checks.filter(({ isMet }) => !isMet)
  expect(opening).toMatchObject({ name: 'opening', text: expect.stringContaining('WAITING_ROOM=on') })
})

test('the wave counts viewers who arrive, wait and get in', () => {
  const wave = waveOf(recordOf([]), 0, 100_000, 10_000)
  expect(wave).toHaveLength(10)
  const numbers = wave.map(({ arrived, waiting, admitted, inside }) => [arrived, waiting, admitted, inside].join(' '))
  expect(numbers.slice(0, 6)).toEqual(['0 0 0 0', '1 1 0 0', '0 1 0 0', '0 1 0 0', '0 1 0 0', '0 0 1 1'])
  expect(wave.map(({ refusedAfterEnd }) => refusedAfterEnd).lastIndexOf(1)).toBe(9)
})
