import { expect, test } from 'vitest'
import { doorState } from '../../../src/features/doors/doors.ts'

const window = (opensAtSeconds: number | null, closesAtSeconds: number | null) => ({ opensAtSeconds, closesAtSeconds })
const EVENING = [window(100, 200)]
const TWO = [window(500, 600), window(100, 200)]

test.each([
  ['a second before it opens', EVENING, 99.999, { name: 'not-open-yet', opensAtSeconds: 100 }],
  ['when it opens', EVENING, 100, { name: 'open', endsAtSeconds: 200 }],
  ['just before it closes', EVENING, 199.999, { name: 'open', endsAtSeconds: 200 }],
  ['when it closes', EVENING, 200, { name: 'over', endedAtSeconds: 200 }],
  ['without an end', [window(100, null)], 1e9, { name: 'open', endsAtSeconds: null }],
  ['without a start', [window(null, 200)], -1e9, { name: 'open', endsAtSeconds: 200 }],
  ['without a start, at the end', [window(null, 200)], 200, { name: 'over', endedAtSeconds: 200 }],
  ['without a window', [], 0, { name: 'open', endsAtSeconds: null }],
  ['between two windows', TWO, 300, { name: 'not-open-yet', opensAtSeconds: 500 }],
  ['after two windows', TWO, 600, { name: 'over', endedAtSeconds: 600 }],
  ['in two windows at once', [window(100, 200), window(150, 300)], 160, { name: 'open', endsAtSeconds: 300 }],
  ['between windows that touch', [window(100, 200), window(200, 300)], 200, { name: 'open', endsAtSeconds: 300 }],
])('a door %s has the right state', (_case, windows, nowSeconds, expected) => {
  expect(doorState(windows, nowSeconds)).toEqual(expected)
})

test('a clock that is set back closes the door again, and one that was ahead leaves nothing', () => {
  const names = [150, 90, 150, 9e9, 150].map((nowSeconds) => doorState(EVENING, nowSeconds).name)
  expect(names).toEqual(['open', 'not-open-yet', 'open', 'over', 'open'])
})
