import { expect, test } from 'vitest'
import { slowAnswer } from '../../../../src/tools/cli/doctor/request.ts'

test.each([
  [500, []],
  [1_499, []],
  [1_500, ['warning slow-answers']],
  [5_999, ['warning slow-answers']],
  [6_000, ['failure slow-answers']],
])('an answer after %i ms gives %j', (tookMs, found) => {
  const findings = slowAnswer('https://login.example/', tookMs)
  expect(findings.map(({ state, code }) => `${state} ${code}`)).toEqual(found)
})
