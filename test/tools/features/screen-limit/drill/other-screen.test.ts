import { expect, test } from 'vitest'
import { causesOf } from '../../../../../src/tools/cli/drill/causes.ts'
import { screenLimitDrill } from '../../../../../src/tools/features/screen-limit/drill/other-screen.ts'

test('drill says that the limit on screens asked viewers who watch already', () => {
  const refused = { kind: 'right', dueMs: 0, lateMs: 0, waitMs: 10, outcome: 'refused', fault: '' } as const
  const [cause] = causesOf([{ ...refused, reason: 'other-screen' }], [], [screenLimitDrill])
  expect(cause).toMatchObject({ name: 'other-screen', answers: 1, text: expect.stringContaining('SCREENS=ask') })
})
