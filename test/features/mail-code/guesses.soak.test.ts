import { expect, test } from 'vitest'
import { guessForMonths, STRATEGIES } from './guess-for-months.ts'

test.each(Object.entries(STRATEGIES))(
  '1,000,000 guesses %s never pass the published chance',
  {
    timeout: 900_000,
  },
  async (name, strategy) => {
    const { guessed, chance, publishedChance, rightCodes, ...counts } = await guessForMonths(strategy, 1_000_000)
    const oneIn = { chance: 1 / chance, published: 1 / publishedChance }
    console.log(name, JSON.stringify({ guessed, rightCodes, ...counts, oneIn }))
    expect(guessed).toBeGreaterThanOrEqual(1_000_000)
    expect(chance).toBeLessThanOrEqual(publishedChance)
    expect(chance).toBeGreaterThan(publishedChance * 0.9)
    expect(rightCodes).toBe(0)
  },
)
