import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHANCE_OF_CODE, TRIES } from '../../../src/features/mail-code/code.ts'
import { MOST_OF_MAILBOX, MOST_OF_PAIR } from '../../../src/features/mail-code/code-limits.ts'
import { guessForMonths, STRATEGIES } from './guess-for-months.ts'

test.each(Object.entries(STRATEGIES))('guesses %s never pass the published chance', async (_name, strategy) => {
  const { chance, publishedChance, rightCodes } = await guessForMonths(strategy, 4_000)
  expect(chance).toBeLessThanOrEqual(publishedChance)
  // The attacker got most of it: limits and formula are about the same.
  expect(chance).toBeGreaterThan(publishedChance * 0.6)
  expect(rightCodes).toBe(0)
})

test('the README publishes the limits on guesses and their chance', () => {
  const readme = readFileSync(new URL('../../../src/features/mail-sign-in/README.md', import.meta.url), 'utf8')
  const row = (begin: string) => readme.split('\n').find((line) => line.startsWith(`| ${begin}`)) ?? ''
  expect(row('tries at a code')).toContain(`| ${TRIES} |`)
  expect(row('codes for one address from one network')).toContain(`| ${MOST_OF_PAIR} in 10 minutes |`)
  expect(row('codes for one address from networks')).toContain(`| ${MOST_OF_MAILBOX} in an hour`)
  const million = (1_000_000 * CHANCE_OF_CODE) / TRIES
  expect(row('chance of a million guesses')).toContain(
    `1 in ${(Math.floor(1 / million / 1e4) * 1e4).toLocaleString('en')}`,
  )
})
