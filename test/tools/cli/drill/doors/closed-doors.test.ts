import { expect, test } from 'vitest'
import { causesOf } from '../../../../../src/tools/cli/drill/causes.ts'
import type { BrowserAnswer } from '../../../../../src/tools/cli/drill/crowd/browser.ts'
import { judge } from '../../../../../src/tools/cli/drill/crowd/judge.ts'

test.each([
  ['not-open-yet', /2 sign-ins were refused: the doors are closed\. Open them with viewer-auth doors --opens/],
  ['over', /2 sign-ins were refused: the doors have closed for good/],
])('drill says why viewers are refused with %s', (reason, text) => {
  const answer = { status: 403, retryAfterSeconds: null, location: undefined, reason } as unknown as BrowserAnswer
  const judgement = judge('right', answer, 'ada', {} as never, 0)
  expect(judgement).toEqual({ outcome: 'refused', fault: `403 for the right password: ${reason}`, reason })
  const attempt = { kind: 'right', dueMs: 0, lateMs: 0, waitMs: 10, ...judgement } as const
  expect(causesOf([attempt, attempt], [])).toEqual([{ name: reason, answers: 2, text: expect.stringMatching(text) }])
})

test('a refusal for another reason is not a cause', () => {
  const attempt = { kind: 'right', dueMs: 0, lateMs: 0, waitMs: 10, outcome: 'refused', fault: '' } as const
  expect(causesOf([attempt, { ...attempt, reason: 'not-entitled' }], [])).toEqual([])
})
