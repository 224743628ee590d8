import { expect, test } from 'vitest'
import { judgeTokenClocks } from '../../../../../src/tools/features/token/doctor/keys.ts'

test.each([
  [6, 'failure'],
  [5, 'warning'],
  [4, 'warning'],
  [3, 'ok'],
  [0, 'ok'],
  [-40, 'ok'],
  [-41, 'warning'],
  [-52, 'warning'],
  [-53, 'failure'],
])('a login app that is %i s ahead of the service: %s', (aheadSeconds, state) => {
  expect(judgeTokenClocks(aheadSeconds).state).toBe(state)
})
