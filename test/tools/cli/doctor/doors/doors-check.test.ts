import { expect, test } from 'vitest'
import { findingOfClock, findingOfDoors } from '../../../../../src/tools/cli/doctor/doors/doors-check.ts'
import { withDoors } from '../../../../features/doors/entry-point.ts'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'

const DAY = 86_400
const OPENS = 10 * DAY
const WINDOWS = [{ opensAtSeconds: OPENS, closesAtSeconds: OPENS + 3600 }]

test.each([
  [OPENS - DAY - 1, 'warning', 'doors-closed', /They open: Sunday, January 11, 1970/],
  [OPENS - DAY, 'warning', 'doors-open-soon', /within the day: Sunday, January 11, 1970 at 12:00 AM UTC/],
  [OPENS, 'ok', 'doors-open', /open until Sunday, January 11, 1970 at 1:00 AM UTC/],
  [OPENS + 3600, 'warning', 'doors-over', /No viewer can watch/],
])('at %i s, doctor has a finding on the doors: %s, %s', (nowSeconds, state, code, text) => {
  const finding = findingOfDoors(withDoors(ENTRY_POINT, { windows: WINDOWS }), nowSeconds)
  expect(finding).toEqual({ state, code, text: expect.stringMatching(text) })
})

test.each([
  [61.4, '61 s ahead of'],
  [-30, '30 s behind'],
])('doctor says that the clock of the app is %d s off', (ahead, words) => {
  expect(findingOfClock(ahead)).toMatchObject({
    state: 'warning',
    code: 'doors-clock',
    text: expect.stringContaining(words),
  })
})
