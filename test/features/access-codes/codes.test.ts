import { expect, test } from 'vitest'
import {
  canonicalCode,
  faultInWords,
  randomCode,
  shownCode,
} from '../../../src/features/access-codes/codes/code-text.ts'
import {
  chanceWords,
  guessingBudget,
  lengthFor,
  MOST_CHANCE,
} from '../../../src/features/access-codes/codes/guessing-budget.ts'

const WEEK = 7 * 86_400

test.each([
  ['as printed', 'CDF2-GHJ-KM3', 'CDF2GHJKM3'],
  ['in small letters with blanks', ' cdf2 ghj km3 ', 'CDF2GHJKM3'],
  ['with other hyphens', 'CDF2–GHJ—KM3', 'CDF2GHJKM3'],
  ['in the wide letters of Japanese keyboards', 'ＣＤＦ２ＧＨＪＫＭ３', 'CDF2GHJKM3'],
  ['with letters that look like digits', 'SUMMER OIL 2BZ', '5VMMER011282'],
  ['with hidden characters', '\u200bCDF2-\u2060GHJ\u00ad-KM3\u200e', 'CDF2GHJKM3'],
  ['after its name', 'Code: ABCD-EFGH.', 'A8CDEFGH'],
  ['after its name without a colon', 'Code CDF2-GHJ-KM3', 'CDF2GHJKM3'],
  ['in a sentence', 'Your code is CDF2-GHJ-KM3', 'CDF2GHJKM3'],
  ['in a sentence, with words before it', 'Your code is GALA-CDF2-GHJ-KM3.', 'GA1ACDF2GHJKM3'],
  ['in a sentence, in small letters', 'your ticket is cdf2-ghj-km3', 'CDF2GHJKM3'],
  ['after its name with blanks', 'Code: cdf2 ghj km3', 'CDF2GHJKM3'],
  ['with blanks after words', 'Gala CDF2 GHJ KM3', 'GA1ACDF2GHJKM3'],
])('a code %s has one canonical form', (_case, typed, form) => {
  expect(canonicalCode(typed)).toBe(form)
})

test.each([
  '',
  'abc',
  'Your codes are CDF2-GHJ-KM3 and CDF2-GHJ-KM4',
  'CDF2_GHJ/KM3',
  "CDF2' OR 1=1",
  'é'.repeat(10),
  'C'.repeat(65),
])('%j is not a code', (typed) => {
  expect(canonicalCode(typed)).toBe(null)
})

test('a random code has no vowel and no look-alike, and is printed in groups', () => {
  const codes = Array.from({ length: 300 }, () => randomCode(10))
  expect(new Set(codes).size).toBe(300)
  for (const code of codes) expect(code).toMatch(/^[2-79CDFGHJKMNPQRTVWXY8]{10}$/)
  for (const code of codes) expect(canonicalCode(shownCode(code))).toBe(code)
  expect(shownCode('CDF2GHJKM3')).toMatch(/^\w{3,4}-\w{3,4}-\w{3,4}$/)
  expect([shownCode('CDF2GHJK'), shownCode('CDF2GHJK', 'SUMMER')]).toEqual(['CDF2-GHJK', 'SUMMER-CDF2-GHJK'])
})

test('words before a code are letters, digits and hyphens', () => {
  expect(['SUMMER', 'GALA-2026'].map(faultInWords)).toEqual([null, null])
  for (const words of ['', 'SUMMER ', 'ÉTÉ', '-A', '<B>']) expect(faultInWords(words)).not.toBe(null)
})

test('the budget is the number of allowed guesses times the density of valid codes', () => {
  const { guesses, chance } = guessingBudget([{ length: 10, count: 500 }], WEEK)
  expect(guesses).toBe(20_000 * (1008 + 1))
  expect(chance).toBeCloseTo((guesses * 500) / 25 ** 10, 12)
  expect(guessingBudget([{ length: 1, count: 25 }], WEEK).chance).toBe(1)
})

test.each([
  [1, WEEK, 8],
  [500, WEEK, 10],
  [5_000, 30 * 86_400, 11],
  [50_000, 366 * 86_400, 13],
])('%i codes for %i seconds need %i characters', (count, lifeSeconds, length) => {
  expect(lengthFor(count, lifeSeconds)).toBe(length)
  const chanceWith = (characters: number) => guessingBudget([{ length: characters, count }], lifeSeconds).chance
  expect(chanceWith(length)).toBeLessThanOrEqual(MOST_CHANCE / 4)
  if (length > 8) expect(chanceWith(length - 1)).toBeGreaterThan(MOST_CHANCE / 4)
})

test('codes that are valid already use up the budget of new ones', () => {
  expect(lengthFor(500, WEEK, [{ length: 8, count: 10_000 }])).toBe(null)
  expect(lengthFor(500, WEEK, [{ length: 8, count: 1_000, lifeSeconds: 60 }])).not.toBe(null)
})

test.each([
  [0.001, '1 in 1,000'],
  [1 / 23_456, '1 in 23,000'],
  [0.5, '1 in 2'],
  [1, 'nearly certain'],
])('a chance of %d is %j in words', (chance, words) => {
  expect(chanceWords(chance)).toBe(words)
})
