import { TEN_MINUTES_SECONDS } from '../../../sign-in-limits/limit-refusal.ts'
import { ALPHABET_SIZE, FEWEST_CHARACTERS } from './code-text.ts'

/** Wrong codes at one entry point in ten minutes, from all addresses. */
export const WRONG_CODES_IN_ALL = 20_000
/** The most chance that a guesser who never stops finds any code while a batch is valid. */
export const MOST_CHANCE = 0.001
/** Counts as the end of a batch without an end. */
export const YEAR_SECONDS = 366 * 86_400
/** A batch gets at most this part of the chance, so that there can be other batches. */
const SHARE = 1 / 4
const LONGEST = 20

/** Codes of one length and end that are valid at the same time at one entry point. */
export interface CodesInForce {
  /** The number of random characters of each. Words of the customer do not count: they can be guessed. */
  readonly length: number
  readonly count: number
  /** From now to their end. Default: as long as the new ones. */
  readonly lifeSeconds?: number
}

/** The guesses that the limits allow while a batch is valid, and the chance that one of them is a valid code. */
export type Budget = ReturnType<typeof guessingBudget>

/**
 * Computes the guessing budget: the chance is the sum of `guesses * count / 25 ** length` for all codes, each with the
 * guesses until its end.
 * @param lifeSeconds from now to the end of the new codes.
 */
export function guessingBudget(codes: readonly CodesInForce[], lifeSeconds: number) {
  const chances = codes.map(({ length, count, lifeSeconds: own = lifeSeconds }) => {
    return (guessesWithin(Math.min(own, lifeSeconds)) * count) / ALPHABET_SIZE ** length
  })
  const chance = chances.reduce((sum, one) => sum + one, 0)
  return { guesses: guessesWithin(lifeSeconds), chance: Math.min(1, chance) }
}

/** The periods of the limit begin when an attacker likes: one more may begin just before the end. */
function guessesWithin(seconds: number): number {
  return WRONG_CODES_IN_ALL * (Math.ceil(Math.max(seconds, 0) / TEN_MINUTES_SECONDS) + 1)
}

/**
 * Returns the random characters for new codes, so that the chance stays within the budget. Null if the codes before use up
 * the budget.
 */
export function lengthFor(count: number, lifeSeconds: number, before: readonly CodesInForce[] = []): number | null {
  for (let length = FEWEST_CHARACTERS; length <= LONGEST; length++) {
    const codes = { length, count }
    const isSmall = guessingBudget([codes], lifeSeconds).chance <= MOST_CHANCE * SHARE
    if (isSmall && guessingBudget([...before, codes], lifeSeconds).chance <= MOST_CHANCE) return length
  }
  return null
}

/** Returns a chance in words, such as "1 in 23,000". */
export function chanceWords(chance: number): string {
  if (chance > 0.5) return 'nearly certain'
  const [first = '', second = ''] = String(Math.floor(1 / chance)).split(/(?<=^..)/)
  const rounded = Number(first + second.replace(/\d/g, '0'))
  return `1 in ${rounded.toLocaleString('en-US')}`
}
