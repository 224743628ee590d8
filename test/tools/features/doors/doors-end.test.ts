import { expect, test } from 'vitest'
import { playsUntil } from '../../../../src/tools/cli/viewers/who-is-in/plays-until.ts'
import { doorsEnd } from '../../../../src/tools/features/doors/doors-end.ts'
import { withDoors } from '../../../features/doors/entry-point.ts'
import { ENTRY_POINT } from '../../../login/entry-point.ts'

const EVENING = { windows: [{ opensAtSeconds: 1000, closesAtSeconds: 2000 }] }

test.each([
  [999, null],
  [1000, 2000],
  [1999, 2000],
  [2000, null],
])('at %i, the doors end every response at %s', (now, expected) => {
  expect(doorsEnd(withDoors(ENTRY_POINT, EVENING), now)).toBe(expected)
})

test('doors without an end, and an entry point without doors, end no response', () => {
  const windows = [{ opensAtSeconds: 1000, closesAtSeconds: null }]
  expect(doorsEnd(withDoors(ENTRY_POINT, { windows }), 1500)).toBeNull()
  expect(doorsEnd(ENTRY_POINT, 1500)).toBeNull()
})

test.each([
  ['closed early', [{ opensAtSeconds: 1000, closesAtSeconds: 1400 }]],
  ['moved to another day', [{ opensAtSeconds: 9000, closesAtSeconds: 9900 }]],
])('a response of before lives on when the doors are %s', (_what, windows) => {
  const entryPoint = withDoors({ ...ENTRY_POINT, lifetimeSeconds: 600 }, { windows })
  expect(playsUntil([entryPoint], 1300, 1500, [{ endOf: doorsEnd }])?.seconds).toBe(1900)
})

test('an open player plays on until the doors close, also if its response has no other end', () => {
  const entryPoint = withDoors({ ...ENTRY_POINT, lifetimeSeconds: 0 }, EVENING)
  expect(playsUntil([entryPoint], 1500, 1500, [{ endOf: doorsEnd }])?.seconds).toBe(2000)
})
