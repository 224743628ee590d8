import { expect, test } from 'vitest'
import type { DrillRecord } from '../../../../../../src/tools/cli/drill/crowd/run-drill.ts'
import type { Attempt } from '../../../../../../src/tools/cli/drill/crowd/visit.ts'
import type { EveningTimes } from '../../../../../../src/tools/features/doors/drill/evening/evening-plan.ts'
import { verdictOnEvening } from '../../../../../../src/tools/features/doors/drill/evening/evening-verdict.ts'

/** UNIX milliseconds. */
const START = 1_000_000_000
const TIMES: EveningTimes = {
  movesMs: 15_000,
  firstOpeningMs: 40_000,
  opensMs: 50_000,
  closesMs: 90_000,
  endsMs: 100_000,
}

/** A response that was asked for, and came, at these seconds. */
function response(sentSeconds: number, cameSeconds: number, more: Partial<Attempt> = {}): Attempt {
  const waitMs = (cameSeconds - sentSeconds) * 1000
  const times = { dueMs: sentSeconds * 1000, lateMs: 0, waitMs }
  const expiresAtSeconds = (START + TIMES.closesMs) / 1000
  return { kind: 'right', ...times, outcome: 'passed', fault: '', expiresAtSeconds, ...more }
}

/** An evening of one viewer. */
function eveningOf(attempts: readonly Attempt[], gotInSeconds: number | null = 51, isNoticed = true) {
  const gotInMs = gotInSeconds === null ? null : gotInSeconds * 1000
  const end = { isIn: gotInMs !== null, atMs: gotInMs ?? 60_000, fault: 'x', location: null }
  const record: DrillRecord = {
    startedAtMs: START,
    endedMs: 100_000,
    attempts: [...attempts],
    visits: [{ arrivedMs: 10_000, gotInMs, returned: null, end }],
    away: new Set(),
    commands: [],
  }
  const did = { noticed: [isNoticed], watched: [isNoticed], late: [{ ...end, isIn: false }] }
  return { record, evening: { times: TIMES, screens: { most: 1, reason: 'other-screen' }, watch: null, ...did } }
}

const failuresOf = ({ record, evening }: ReturnType<typeof eveningOf>) =>
  verdictOnEvening(record, evening, 1, 10_000).filter(({ isMet }) => !isMet)

const failedChecks = (evening: ReturnType<typeof eveningOf>) => failuresOf(evening).map(({ name }) => name)

test('an evening in which viewers get in between opening and end passes', () => {
  expect(failedChecks(eveningOf([response(49.9, 50), response(89.9, 90.1)]))).toEqual([])
})

test.each<[string, ReturnType<typeof eveningOf>, string[]]>([
  ['a viewer gets in before the doors open', eveningOf([response(49.8, 49.9)]), ['before-opening']],
  ['a viewer gets in at the first start, which was moved', eveningOf([response(41, 41.1)]), ['before-opening']],
  ['an early viewer gets in later than 10 s after the opening', eveningOf([], 60.1), ['opening']],
  ['a viewer gets in after the end', eveningOf([response(90, 90.1)]), ['after-end']],
  ['a response outlives the end', eveningOf([response(51, 52, { expiresAtSeconds: 1_000_091 })]), ['responses']],
  ['a response has no end', eveningOf([response(51, 52, { expiresAtSeconds: null })]), ['responses']],
  ['a viewer does not get in', eveningOf([], null), ['opening', 'viewers']],
  [
    'the app asks to wait',
    eveningOf([response(51, 52, { expiresAtSeconds: undefined, outcome: 'asked-to-wait', reason: 'overloaded' })]),
    ['overload'],
  ],
  [
    'a request gets no answer',
    eveningOf([response(51, 52, { expiresAtSeconds: undefined, outcome: 'unanswered' })]),
    ['errors'],
  ],
  ['no screen of a viewer is refused, and the video does not start', eveningOf([], 51, false), ['screens', 'watching']],
])('an evening fails if %s', (_case, record, failed) => {
  expect(failedChecks(record)).toEqual(failed)
})

test('without a waiting room, a slow opening is explained', () => {
  const refused = response(20, 20.1, { expiresAtSeconds: undefined, outcome: 'held', reason: 'not-open-yet' })
  const [opening] = failuresOf(eveningOf([refused], 70))
  expect(opening).toMatchObject({ name: 'opening', text: expect.stringContaining('WAITING_ROOM=on') })
})

test('a return that meets the end fails no evening, and an earlier one does', () => {
  const returned = { isIn: false, fault: 'over', location: null }
  const evening = eveningOf([])
  const failedAfter = (seconds: number) => {
    const visits = evening.record.visits.map((visit) => ({ ...visit, returned: { ...returned, atMs: seconds * 1000 } }))
    return failedChecks({ ...evening, record: { ...evening.record, visits } })
  }
  expect([failedAfter(91), failedAfter(80)]).toEqual([[], ['returns']])
})
