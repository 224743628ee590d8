import { expect, test } from 'vitest'
import { causesOf, signInRate } from '../../../../src/tools/cli/drill/causes.ts'
import type { Attempt } from '../../../../src/tools/cli/drill/crowd/visit.ts'

function attempts(count: number, more: Partial<Attempt> = {}): Attempt[] {
  const usual = { kind: 'right', lateMs: 0, waitMs: 10, outcome: 'passed', fault: '' } as const
  return Array.from({ length: count }, (_, at) => ({ ...usual, dueMs: at * 100, ...more }))
}
const asked = (count: number, reason?: string) => attempts(count, { outcome: 'asked-to-wait', reason })

test('the rate counts right passwords in the second of their answer', () => {
  const found = [...attempts(20), ...attempts(5, { dueMs: 3_990 }), ...attempts(9, { kind: 'wrong' }), ...asked(9)]
  expect(signInRate(found)).toEqual({ highest: 10, average: 5 })
  expect(signInRate([])).toEqual({ highest: 0, average: 0 })
})

test('the causes are the reasons of the app, the most frequent one first', () => {
  const found = [...attempts(50), ...asked(2, 'store-down'), ...asked(7, 'overloaded'), ...asked(1, 'kiosk-closed')]
  const causes = causesOf(found, ['USER_STORE_URL'], [])
  expect(causes.map(({ name, answers }) => [name, answers])).toEqual([
    ['overloaded', 7],
    ['store-down', 2],
    ['kiosk-closed', 1],
  ])
  expect(causes.map(({ text }) => text)).toEqual([
    expect.stringMatching('too few cores'),
    expect.stringMatching('USER_STORE_URL did not answer'),
    expect.stringMatching('kiosk-closed'),
  ])
})

test('a drill of a fast app has no cause', () => {
  expect(causesOf([...attempts(50), ...asked(3)], [], [])).toEqual([])
})

test.each([
  ['passwords wait for a core', 20],
  ['screens were slow too', 1_500],
])('slow sign-ins without a reason of the app have a cause: %s', (text, screenMs) => {
  const found = [...attempts(30, { waitMs: 2_000 }), ...attempts(30, { kind: 'screen', waitMs: screenMs })]
  expect(causesOf(found, [], [])).toEqual([{ name: 'slow-sign-ins', answers: 30, text: expect.stringContaining(text) }])
})

test('the way in says what a reason means for its viewers', () => {
  const found = [...asked(2, 'too-many-tries'), ...attempts(3, { outcome: 'refused', reason: 'no-mail' })]
  const causes = causesOf(found, [], [], { 'too-many-tries': 'raise the limit', 'no-mail': 'no mail came' })
  expect(causes.map(({ text }) => text)).toEqual([
    '2 answers asked to wait: raise the limit.',
    '3 sign-ins got no response: no mail came.',
  ])
})
