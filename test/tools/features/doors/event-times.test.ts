import { expect, test } from 'vitest'
import { playsUntil } from '../../../../src/tools/cli/viewers/who-is-in/plays-until.ts'
import { doorTimes } from '../../../../src/tools/features/doors/event-times.ts'
import { withDoors } from '../../../features/doors/entry-point.ts'
import { ENTRY_POINT } from '../../../login/entry-point.ts'

const EVENING = { windows: [{ opensAtSeconds: 1000, closesAtSeconds: 2000 }] }

test.each([
  [999, 'not-open-yet'],
  [1000, 'open'],
  [1999, 'open'],
  [2000, 'over'],
])('at %i, the event with doors is %s', (now, name) => {
  expect(doorTimes.stateAt(withDoors(ENTRY_POINT, EVENING), now).name).toBe(name)
})

test('an entry point without doors is open without an end, and has no zone', () => {
  expect(doorTimes.stateAt(ENTRY_POINT, 1500)).toEqual({ name: 'open', endsAtSeconds: null })
  expect([doorTimes.windowsAt(ENTRY_POINT), doorTimes.zoneAt(ENTRY_POINT)]).toEqual([[], null])
})

test.each([
  ['closed early', [{ opensAtSeconds: 1000, closesAtSeconds: 1400 }]],
  ['moved to another day', [{ opensAtSeconds: 9000, closesAtSeconds: 9900 }]],
])('a response of before lives on when the doors are %s', (_what, windows) => {
  const entryPoint = withDoors({ ...ENTRY_POINT, lifetimeSeconds: 600 }, { windows })
  expect(playsUntil([entryPoint], 1300, 1500, [doorTimes])?.seconds).toBe(1900)
})

test('an open player plays on until the doors close, also if its response has no other end', () => {
  const entryPoint = withDoors({ ...ENTRY_POINT, lifetimeSeconds: 0 }, EVENING)
  expect(playsUntil([entryPoint], 1500, 1500, [doorTimes])?.seconds).toBe(2000)
})
