import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sharedClock } from '../../../src/features/shared-clock/feature.ts'
import { registerClockGauge, watchClock } from '../../../src/features/shared-clock/watch-clock.ts'

const START = 1_800_000_000

/** Watches the clock of a copy beside a store. @param ahead of the copy. @param tookSeconds of each question. */
function watch(ahead: number | null, tookSeconds = 0) {
  const state = { ahead, seconds: START }
  const lines: object[] = []
  const store = {
    setting: 'USER_STORE_URL',
    nowSeconds: () => {
      const there = state.seconds + tookSeconds / 2
      state.seconds += tookSeconds
      return state.ahead === null ? Promise.reject(new Error('away')) : Promise.resolve(there - state.ahead)
    },
  }
  const log = { warn: (line: object, text: string) => void lines.push({ ...line, text }) }
  const file = { setting: 'SESSION_STORE_URL' }
  const clock = watchClock({ nowSeconds: () => state.seconds, log: log as never })
  onTestFinished(clock.close)
  return { state, lines, clock, compared: clock.watch([file, store, store]) }
}

test.each([
  [90, { USER_STORE_URL: 90 }, '90 s ahead of'],
  [5, { USER_STORE_URL: 5 }, '5 s ahead of'],
  [4.9, {}, null],
  [0, {}, null],
  [-30.2, { USER_STORE_URL: -30 }, '30 s behind'],
])('a clock that is %d s ahead of a store is wrong: %o', async (ahead, wrong, text) => {
  const { clock, lines, compared } = watch(ahead)
  await compared
  expect(clock.wrong()).toEqual(wrong)
  expect([...clock.aheadSeconds]).toEqual([['USER_STORE_URL', expect.closeTo(ahead)]])
  // One line for stores with the same setting.
  expect(lines).toMatchObject(text === null ? [] : [{ event: 'clock', setting: 'USER_STORE_URL' }])
  expect(JSON.stringify(lines)).toContain(text ?? '[]')
})

test('a slow answer of a store is not taken for a wrong clock', async () => {
  const { clock, lines, compared } = watch(0, 30)
  await compared
  expect([clock.wrong(), lines]).toEqual([{}, []])
})

test('the clock is compared again each minute, and nothing is said of a store that is away', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { clock, lines, state, compared } = watch(90)
  await compared
  state.ahead = null
  await vi.advanceTimersByTimeAsync(60_000)
  expect([clock.wrong(), clock.aheadSeconds.size, lines.length]).toEqual([{}, 0, 1])
  state.ahead = 0
  await vi.advanceTimersByTimeAsync(60_000)
  expect([clock.wrong(), clock.aheadSeconds.size, lines.length]).toEqual([{}, 1, 1])
})

test('the difference to the clock of each store is a metric, with its setting', async () => {
  const { clock, compared } = watch(90.25)
  await compared
  const registry = new Registry()
  await registerClockGauge(registry, clock)
  expect(await registry.metrics()).toContain('viewer_auth_clock_ahead_seconds{setting="USER_STORE_URL"} 90.25')
})

test('/health/ready has the clocks that are wrong, and else nothing', async () => {
  const app = { nowSeconds: () => START, log: { warn() {} } }
  const open = await sharedClock.open(app as never, [], undefined)
  onTestFinished(() => open?.close?.())
  const clockOf = (setting: string, seconds: number) => ({
    setting,
    isAvailable: () => true,
    nowSeconds: () => Promise.resolve(seconds),
  })
  const added = open?.readiness?.([clockOf('SESSION_STORE_URL', START), clockOf('USER_STORE_URL', START - 90)])
  expect(added?.()).toEqual({})
  await vi.waitFor(() => expect(added?.()).toEqual({ clocks: { USER_STORE_URL: 90 } }))
})
