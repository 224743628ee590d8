import { expect, test } from 'vitest'
import { causesOf } from '../../../../../src/tools/cli/drill/causes.ts'
import type { BrowserAnswer } from '../../../../../src/tools/cli/drill/crowd/browser.ts'
import type { ExpectedResponse } from '../../../../../src/tools/cli/drill/crowd/expected-response.ts'
import { judge } from '../../../../../src/tools/cli/drill/crowd/judge.ts'
import { doorsDrill } from '../../../../../src/tools/features/doors/drill/closed-doors.ts'

const EXPECTED: ExpectedResponse = { secrets: [], usernameParameters: [] }

test.each([
  ['not-open-yet', /2 sign-ins got no response: the doors are closed\. Open them with viewer-auth doors --opens/],
  ['over', /2 sign-ins got no response: the doors have closed for good/],
])('drill says why viewers are refused with %s', (reason, text) => {
  const answer = { status: 403, retryAfterSeconds: null, location: undefined, reason } as unknown as BrowserAnswer
  const judgment = judge('right', answer, 'ada', EXPECTED, 0)
  expect(judgment).toEqual({ outcome: 'refused', fault: `403 for the right password: ${reason}`, reason })
  const attempt = { kind: 'right', dueMs: 0, lateMs: 0, waitMs: 10, ...judgment } as const
  expect(causesOf([attempt, attempt], [], [doorsDrill])).toEqual([
    { name: reason, answers: 2, text: expect.stringMatching(text) },
  ])
})

test('drill says that viewers who are sent to the waiting page wait', () => {
  const answer = { status: 200, retryAfterSeconds: null, location: null, page: '', reason: 'waiting' } as const
  for (const kind of ['right', 'return'] as const) {
    const judgment = judge(kind, answer, 'ada', EXPECTED, 0)
    expect(judgment).toMatchObject({ outcome: 'refused', reason: 'waiting' })
    const attempt = { kind, dueMs: 0, lateMs: 0, waitMs: 10, ...judgment }
    expect(causesOf([attempt], [], [doorsDrill])).toEqual([
      {
        name: 'waiting',
        answers: 1,
        text: expect.stringMatching(/^1 sign-in got no response: viewers wait for the doors/),
      },
    ])
  }
  expect(judge('wrong', answer, 'ada', EXPECTED, 0).outcome).toBe('error')
})

test('a refusal for another reason is not a cause', () => {
  const attempt = { kind: 'right', dueMs: 0, lateMs: 0, waitMs: 10, outcome: 'refused', fault: '' } as const
  expect(causesOf([attempt, { ...attempt, reason: 'not-entitled' }], [], [doorsDrill])).toEqual([])
})
