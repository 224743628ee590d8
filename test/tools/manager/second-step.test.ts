import { expect, test } from 'vitest'
import { acceptedPeriod, createSeal } from '../../../src/tools/cli/manager/accounts/second-step.ts'

/** "12345678901234567890" of RFC 6238, appendix B. Its codes have eight digits; ours are the last six. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
])('the code at %i s is that of the standard', (seconds, code) => {
  expect(acceptedPeriod(SECRET, code, seconds, -1)).toBe(Math.floor(seconds / 30))
  expect(acceptedPeriod(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)}`, seconds, -1)).toBe(Math.floor(seconds / 30))
})

test('a code counts from one period before to one after', () => {
  const at = (seconds: number) => acceptedPeriod(SECRET, '005924', seconds, -1)
  const period = Math.floor(1_234_567_890 / 30)
  expect([at(1_234_567_890 - 60), at(1_234_567_890 - 30), at(1_234_567_890 + 30), at(1_234_567_890 + 60)]).toEqual([
    null,
    period,
    period,
    null,
  ])
})

test.each(['', '28708', '2870822', 'abcdef', '28708a', '+28708', '000000'])(
  '%j is not a code of the second step',
  (code) => {
    expect(acceptedPeriod(SECRET, code, 59, -1)).toBeNull()
  },
)

test('a code of a period that was used is refused', () => {
  expect(acceptedPeriod(SECRET, '287082', 59, 0)).toBe(1)
  expect(acceptedPeriod(SECRET, '287082', 59, 1)).toBeNull()
})

test('a sealed secret opens with its key and for its manager only', () => {
  const seal = createSeal('9c4e17d05ab83f6621e0d97c58fb3a12')
  const sealed = seal.seal(SECRET, 'eve')
  expect(seal.open(sealed, 'eve')).toBe(SECRET)
  expect(seal.open(sealed, 'joe')).toBeNull()
  expect(createSeal('another secret of many bits 1234').open(sealed, 'eve')).toBeNull()
  expect(
    seal.open(Buffer.concat([sealed.subarray(0, -1), Buffer.from([sealed.at(-1) === 0 ? 1 : 0])]), 'eve'),
  ).toBeNull()
  expect(sealed.includes(SECRET)).toBe(false)
})
