import { expect, test } from 'vitest'
import type { BrowserAnswer } from '../../../../../../src/tools/cli/drill/crowd/browser.ts'
import { eveningTimes, planEvening } from '../../../../../../src/tools/features/doors/drill/evening/evening-plan.ts'
import { readReply } from '../../../../../../src/tools/features/doors/drill/evening/evening-visit.ts'

const VIEWERS = Array.from({ length: 40 }, (_, index) => ({ username: `viewer-${index}`, password: 'x' }))

test.each([10_000, 600_000])('in an evening of %i ms, three of four viewers come before the opening', (overMs) => {
  const times = eveningTimes(1_000_000_123, overMs)
  expect(Object.values(times)).toEqual(Object.values(times).toSorted((a, b) => a - b))
  // The app needs up to two seconds to take the times.
  expect(times.firstOpeningMs - times.movesMs).toBeGreaterThanOrEqual(2_000)
  expect([times.firstOpeningMs, times.opensMs, times.closesMs].map((timeMs) => timeMs % 1000)).toEqual([0, 0, 0])
  const plan = planEvening(VIEWERS, times, { overMs, returnShare: 0.5, hasLimit: true })
  const opensMs = times.opensMs - times.startsMs
  expect(plan.filter(({ arrivesMs }) => arrivesMs < opensMs)).toHaveLength(30)
  expect(plan.filter(({ arrivesMs }) => arrivesMs >= times.closesMs - times.startsMs)).toEqual([])
  expect(plan.filter(({ returnsAfterMs }) => returnsAfterMs !== null).length).toBeGreaterThanOrEqual(14)
  expect(plan.filter(({ moreScreensAfterMs }) => moreScreensAfterMs !== null)).toHaveLength(8)
  const tries = plan.flatMap(({ afterEnd }) => afterEnd ?? [])
  expect(tries.map(({ how }) => how).toSorted()).toEqual([...Array(4).fill('session'), ...Array(4).fill('sign-in')])
  for (const { atMs } of tries) expect(atMs).toBeGreaterThanOrEqual(times.closesMs - times.startsMs)
})

const ORIGIN = 'http://localhost:3000'
const NEXT = { name: 'next', path: '/e/gold/wait?pass=x' }

test.each<[string, Partial<BrowserAnswer>, object]>([
  [
    'a response',
    { status: 303, location: 'https://player.example/?hash=%5B%5D' },
    { name: 'response', response: '[]' },
  ],
  ['a cancelled sign-in', { status: 303, location: 'https://player.example/?hash=false' }, { name: 'odd' }],
  ['a redirect within the app', { status: 303, location: '/e/gold/wait?pass=x' }, { ...NEXT, afterMs: null }],
  ['a page that loads again', { status: 200, refresh: '25; url=/e/gold/wait?pass=x' }, { ...NEXT, afterMs: 25_000 }],
  ['a busy page that loads again', { status: 503, refresh: '5;URL=/e/gold/wait?pass=x' }, { ...NEXT, afterMs: 5_000 }],
  ['a page that leads elsewhere', { status: 200, refresh: '0; url=https://evil.example/' }, { name: 'odd' }],
  ['a busy app', { status: 503, retryAfterSeconds: 2 }, { name: 'asked-to-wait', seconds: 2 }],
  ['a sign-in screen', { status: 200, page: '<input name="password">' }, { name: 'sign-in-screen' }],
  ['a closed door', { status: 403, reason: 'not-open-yet' }, { name: 'refused', reason: 'not-open-yet' }],
  ['an error', { status: 500 }, { name: 'odd', fault: '500 of the app' }],
])('a viewer of an evening recognizes %s', (_case, answer, reply) => {
  const nothing = { status: 200, retryAfterSeconds: null, location: null, page: '' }
  expect(readReply({ ...nothing, ...answer }, ORIGIN)).toMatchObject(reply)
})
