import { describe, expect, test } from 'vitest'
import { responseIn } from '../../../../src/tools/cli/drill/crowd/expected-response.ts'
import { judge, type Outcome, type RequestKind } from '../../../../src/tools/cli/drill/crowd/judge.ts'
import { planVisits } from '../../../../src/tools/cli/drill/crowd/plan.ts'
import type { DrillRecord } from '../../../../src/tools/cli/drill/crowd/run-drill.ts'
import type { Attempt } from '../../../../src/tools/cli/drill/crowd/visit.ts'
import { timelineOf } from '../../../../src/tools/cli/drill/verdict/moment.ts'
import { recoveryMs } from '../../../../src/tools/cli/drill/verdict/recovery.ts'
import { verdictOn } from '../../../../src/tools/cli/drill/verdict/verdict.ts'

const LIMITS = { recoverWithinMs: 5_000, maxWaitMs: 10_000 }

function attempt(dueMs: number, outcome: Outcome, more: Partial<Attempt> = {}): Attempt {
  return { kind: 'right', dueMs, lateMs: 0, waitMs: 10, outcome, fault: '', ...more }
}
/** A drill of 60 s. Commands are [second, isOutage], and take no time. */
function recordOf(attempts: Attempt[], ...commands: [seconds: number, isOutage: boolean][]): DrillRecord {
  return {
    startedAtMs: 0,
    endedMs: 60_000,
    attempts,
    visits: [],
    away: new Set<string>(),
    commands: commands.map(([seconds, isOutage]) => ({
      atMs: seconds * 1000,
      startedMs: seconds * 1000,
      endedMs: seconds * 1000,
      command: `at ${seconds}`,
      isOutage,
      exitStatus: 0,
      output: '',
    })),
  }
}
/** One attempt every 100 ms of these seconds. */
function each(fromSeconds: number, toSeconds: number, outcome: Outcome, more: Partial<Attempt> = {}): Attempt[] {
  const count = Math.round((toSeconds - fromSeconds) * 10)
  return Array.from({ length: count }, (_, at) => attempt(fromSeconds * 1000 + at * 100, outcome, more))
}
test('a check without an occasion is not tried', () => {
  const untried = verdictOn(recordOf([]), 0, LIMITS).flatMap(({ isTried, name }) => (isTried ? [] : [name]))
  expect(untried).toEqual(['wrong-passwords', 'recovery', 'commands'])
})

const failedIn = (record: DrillRecord) =>
  verdictOn(record, 0, LIMITS).flatMap(({ isMet, name }) => (isMet ? [] : [name]))

describe('recovery', () => {
  const first = (record: DrillRecord) => {
    const [command] = record.commands
    return command === undefined ? undefined : recoveryMs(record, command)
  }
  test.each<[string, Attempt[], number | null]>([
    ['sign-ins that go on', each(0, 60, 'passed'), 0],
    ['3 s of 503', [...each(0, 10, 'passed'), ...each(10, 13, 'asked-to-wait'), ...each(13, 60, 'passed')], 3_000],
    ['a few failures among many sign-ins', [...each(0, 60, 'passed'), ...each(12, 12.5, 'unanswered')], 0],
    ['a later fault', [...each(10, 60, 'passed'), ...each(40, 42, 'unanswered'), ...each(40, 41, 'error')], 0],
    [
      'sign-ins that work for 3 s only',
      [...each(10, 12, 'error'), ...each(12, 15, 'passed'), ...each(15, 18, 'error'), ...each(18, 60, 'passed')],
      8_000,
    ],
    [
      'rare failures and a sign-in at the end',
      [20, 30, 40, 50].map((s) => attempt(s * 1000, 'error')).concat(each(55, 60, 'passed')),
      41_000,
    ],
    ['no sign-in afterwards', [...each(0, 10, 'passed'), ...each(10, 60, 'asked-to-wait')], null],
    ['screens only', each(10, 60, 'passed', { kind: 'screen' }), null],
    ['no viewers afterwards', each(0, 10, 'passed'), null],
    ['requests sent before the command ended', [...each(8, 10, 'unanswered'), ...each(10, 60, 'passed')], 0],
  ])('%s count as recovered after the right time', (_case, attempts, expected) => {
    expect(first(recordOf(attempts, [10, false]))).toBe(expected)
  })
  test('recovery is measured up to the next command only', () => {
    const attempts = [...each(10, 20, 'passed'), ...each(20, 30, 'unanswered'), ...each(30, 60, 'passed')]
    expect(first(recordOf(attempts, [10, false], [20, true], [30, false]))).toBe(0)
  })
  test('a command fails the drill if sign-ins work again too late, and an outage does not', () => {
    const attempts = [...each(0, 10, 'passed'), ...each(10, 20, 'asked-to-wait'), ...each(20, 60, 'passed')]
    expect(failedIn(recordOf(attempts, [10, false]))).toEqual(['recovery'])
    expect(failedIn(recordOf(attempts, [10, true], [20, false]))).toEqual([])
    expect(failedIn(recordOf(attempts, [10, true], [14, false]))).toEqual(['recovery'])
  })
})

describe('requests without an answer', () => {
  const lost = (seconds: number, waitMs = 10) => [
    ...each(0, 60, 'passed'),
    attempt(seconds * 1000, 'unanswered', { waitMs }),
  ]
  test.each([
    ['before the command', lost(9), ['unanswered']],
    ['during the recovery', lost(14), []],
    ['after the recovery', lost(16), ['unanswered']],
    ['sent before the command, and lost by it', lost(9, 2_000), []],
  ])('a request %s counts rightly', (_case, attempts, expected) => {
    expect(failedIn(recordOf(attempts, [10, false]))).toEqual(expected)
  })
  test('a request may be lost during the whole outage', () => {
    expect(failedIn(recordOf(lost(29), [10, true], [30, false]))).toEqual([])
  })
})

test('a slow answer, a slow generator and a failed command each fail their check', () => {
  expect(failedIn(recordOf([attempt(0, 'passed', { waitMs: 10_001 })]))).toEqual(['longest-wait'])
  expect(failedIn(recordOf(each(0, 10, 'passed', { lateMs: 1_001 })))).toEqual(['generator'])
  const record = recordOf(each(0, 60, 'passed'), [10, false])
  for (const command of record.commands) command.exitStatus = null
  expect(failedIn(record)).toEqual(['commands'])
})

test('the time line has at most 120 parts, and every request once', () => {
  for (const endedMs of [10, 60_000, 120_000, 900_000, 86_400_000]) {
    const attempts = Array.from({ length: 500 }, (_, at) => attempt((at * endedMs) / 500, 'passed'))
    const moments = timelineOf({ attempts, visits: [], endedMs })
    expect(moments.length).toBeLessThanOrEqual(120)
    expect(moments.reduce((sum, { passed }) => sum + passed, 0)).toBe(500)
  }
})

test('the time line counts viewers who come, wait, get in and give up', () => {
  const end = (atMs: number, isIn: boolean) => ({ isIn, atMs, fault: isIn ? null : 'x', location: null })
  const visits = [
    { arrivedMs: 1_000, gotInMs: 3_000, returned: null, end: end(3_000, true) },
    { arrivedMs: 1_500, gotInMs: null, returned: null, end: end(2_500, false) },
  ]
  const moments = timelineOf({ attempts: [], visits, endedMs: 4_500 })
  expect(moments.map(({ arrived, waiting, inside }) => [arrived, waiting, inside].join(' '))).toEqual([
    '0 0 0',
    '2 2 0',
    '0 1 0',
    '0 0 1',
    '0 0 1',
  ])
  expect(timelineOf({ attempts: [attempt(1_000, 'passed')], visits, endedMs: 4_500 }, 2_000, 2_500)).toMatchObject([
    { fromMs: 2_000, arrived: 0, passed: 0 },
  ])
})

describe('the plan', () => {
  const viewers = Array.from({ length: 1_000 }, (_, at) => ({ username: `${at}`, password: 'x' }))
  const plan = planVisits(viewers, { overMs: 600_000, wrongShare: 0.1, returnShare: 0.3 })
  test('half of the viewers arrive in the last third, and the peak has twice the average rate', () => {
    const between = (from: number, to: number) =>
      plan.filter(({ arrivesAtMs: at }) => at >= from * 1000 && at < to * 1000).length
    expect(between(0, 600)).toBe(1_000)
    expect(between(0, 200)).toBeLessThan(50)
    expect(between(400, 600)).toBeGreaterThan(500)
    expect(between(420, 480)).toBeGreaterThan(200)
    expect(between(420, 480)).toBeLessThan(215)
  })
  test('the shares of those who mistype and come back are as asked', () => {
    expect(plan.filter(({ wrongPasswords }) => wrongPasswords > 0)).toHaveLength(100)
    expect(plan.filter(({ wrongPasswords }) => wrongPasswords === 2)).toHaveLength(25)
    const returning = plan.filter(({ returnsAfterMs }) => returnsAfterMs !== null)
    expect(Math.abs(returning.length - 300)).toBeLessThan(5)
    expect(returning.filter(({ wrongPasswords }) => wrongPasswords > 0).length).toBeGreaterThan(20)
  })
})

describe('answers', () => {
  const PAGE = '<input id="password" name="password" type="password">'
  const expected = { secrets: [], usernameParameters: ['user'], holds: { closed: () => null } }
  const judged = (kind: RequestKind, status: number, more: object = {}) =>
    judge(kind, { status, retryAfterSeconds: null, location: null, page: '', ...more }, 'ada', expected, 1_000).outcome
  const response = (user: string, expiry = 2_000) =>
    `https://player.example/?hash=${encodeURIComponent(
      JSON.stringify([{ user }, { hashExpire: expiry }, { hash: '0'.repeat(32) }]),
    )}`

  test.each<[RequestKind, number, object, Outcome]>([
    ['screen', 200, { page: PAGE }, 'passed'],
    ['screen', 200, { page: 'Welcome' }, 'error'],
    ['screen', 303, { location: response('eve') }, 'let-in-wrongly'],
    ['wrong', 401, {}, 'passed'],
    ['wrong', 403, {}, 'error'],
    ['wrong', 303, { location: response('ada') }, 'let-in-wrongly'],
    ['wrong', 401, { location: response('ada') }, 'let-in-wrongly'],
    ['wrong', 503, { retryAfterSeconds: 2 }, 'asked-to-wait'],
    ['wrong', 503, {}, 'error'],
    ['right', 303, { location: response('ada') }, 'passed'],
    ['right', 303, { location: response('ADA') }, 'passed'],
    ['right', 303, { location: response('eve') }, 'wrong-response'],
    ['right', 303, { location: response('ada', 1_000) }, 'wrong-response'],
    ['right', 303, { location: 'https://player.example/?hash=x' }, 'wrong-response'],
    ['right', 303, { location: 'https://player.example/?hash=false' }, 'error'],
    ['right', 200, { location: response('ada') }, 'error'],
    ['right', 401, {}, 'refused'],
    ['right', 403, {}, 'refused'],
    ['right', 429, { retryAfterSeconds: 0 }, 'asked-to-wait'],
    ['right', 429, {}, 'error'],
    ['right', 500, { retryAfterSeconds: 1 }, 'error'],
    ['right', 502, {}, 'unanswered'],
    ['right', 504, {}, 'unanswered'],
    ['return', 303, { location: response('ada') }, 'passed'],
    ['return', 303, { location: response('eve') }, 'wrong-response'],
    ['return', 200, { page: PAGE }, 'session-ended'],
    ['return', 409, {}, 'error'],
    ['return', 403, {}, 'refused'],
    ['wait', 303, { location: response('ada') }, 'passed'],
    ['wait', 200, { page: PAGE }, 'session-ended'],
    ['right', 200, { reason: 'paused' }, 'refused'],
    ['wait', 200, { reason: 'closed' }, 'held'],
    ['return', 403, { reason: 'closed' }, 'held'],
    ['wrong', 200, { reason: 'closed' }, 'error'],
  ])('for a %s, %d with %o is judged %s', (kind, status, more, outcome) => {
    expect(judged(kind, status, more)).toBe(outcome)
  })
  test.each([null, '/relative', 'https://player.example/', 'https://player.example/?hash=false'])(
    'the address %s has no response',
    (location) => expect(responseIn(location)).toBeNull(),
  )
})
