import { expect, test } from 'vitest'
import { shareWords } from '../../../../src/tools/cli/output/words.ts'

test.each([
  [0, 7, '0 %'],
  [0, 0, '0 %'],
  [1, 1_000, '< 1 %'],
  [1, 3, '33 %'],
  [999, 1_000, '> 99 %'],
  [7, 7, '100 %'],
])('%i of %i is %s', (part, whole, words) => {
  expect(shareWords(part, whole)).toBe(words)
})
