import { expect, test } from 'vitest'
import { figuresOf, type PlanFigures } from './figures.ts'
import { failures, planFor, planText } from './plan.ts'
import { simulateOpening } from './simulated-opening.ts'

/** Always the same sequence. */
function fixedRandom(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const FIGURES: PlanFigures = {
  signInMicros: 20_000,
  returnMicros: 400,
  pageMicros: 60,
  redisMicros: 100,
  redisCommands: 20,
  redisConnections: 2,
  redisBytes: 1_024,
  postgresTransactions: 1,
  reloadMicros: 300,
  admissionMicros: 300,
}

const open = (viewers: number, admissionMicros: number) =>
  simulateOpening({ viewers, admissionMicros, reloadMicros: 300, random: fixedRandom() })

test('each viewer of the simulation is let in once, and none before the opening', () => {
  const entered = open(20_000, 300)
  expect(entered.length).toBe(20_000)
  expect(entered[0]).toBeGreaterThanOrEqual(0)
})

test('a copy that is fast enough lets viewers in as the waiting page spreads them', () => {
  // 20,000 viewers are spread over eight seconds, and the header has whole seconds.
  expect(open(20_000, 300).at(-1)).toBeGreaterThan(7.5)
  expect(open(20_000, 300).at(-1)).toBeLessThan(9.5)
})

test('the last viewer at a slow copy waits for the work of all others', () => {
  const last = open(20_000, 2_000).at(-1) ?? 0
  expect(last).toBeGreaterThan(40)
  expect(last).toBeLessThan(47)
})

test('reloads that a copy cannot keep up with do not pile up before the opening', () => {
  const entered = simulateOpening({
    viewers: 20_000,
    admissionMicros: 2_000,
    reloadMicros: 6_000,
    random: fixedRandom(),
  })
  expect(entered.at(-1)).toBeLessThan(47)
})

test('a plan has copies for the sign-ins at the peak, and for those who wait', () => {
  // 100,000 in 10 minutes: 333 a second at the peak, each 20.06 ms, and an eighth more, by four cores.
  expect(planFor(FIGURES, { viewers: 100_000, minutes: 10 }, fixedRandom())).toMatchObject({ copies: 2 })
  expect(planFor(FIGURES, { viewers: 100_000, minutes: 1 }, fixedRandom())).toMatchObject({ copies: 19 })
  expect(planFor(FIGURES, { viewers: 400_000, minutes: 600 }, fixedRandom())).toMatchObject({ copies: 8 })
})

test('a plan names what is above its limit, the worst first', () => {
  const event = { viewers: 1_000_000, minutes: 10 }
  const plan = planFor(FIGURES, event, fixedRandom())
  expect(failures(plan).map(({ unit }) => unit)).toEqual(['an hour', 'connections'])
  expect(planText(plan, event)).toContain('Memory of Redis')
  expect(failures(planFor(FIGURES, { viewers: 1_000, minutes: 10 }, fixedRandom()))).toEqual([])
})

test('a plan without a row of its figures names the row', () => {
  expect(() => figuresOf([{ name: 'Sign-in, Redis and PostgreSQL', failure: 'busy' }])).toThrow('CPU of an admission')
})
