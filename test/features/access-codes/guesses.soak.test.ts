import { expect, test } from 'vitest'
import { guessForHours } from './guess-for-hours.ts'

test('1,000,000 guesses never pass the published number', { timeout: 120_000 }, async () => {
  const { checked, allowed } = await guessForHours({ guesses: 1_000_000, hours: 2 })
  expect(checked).toBeLessThanOrEqual(allowed)
  expect(checked).toBeGreaterThan(allowed * 0.85)
})
