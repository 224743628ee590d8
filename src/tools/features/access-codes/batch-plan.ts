import { ConfigError } from '../../../errors.ts'
import {
  type Budget,
  type CodesInForce,
  chanceWords,
  guessingBudget,
  lengthFor,
  MOST_CHANCE,
  YEAR_SECONDS,
} from '../../../features/access-codes/codes/guessing-budget.ts'

interface Wanted {
  readonly count: number
  /** Random characters. Undefined: the fewest that the budget allows. */
  readonly length: number | undefined
  readonly endsAtSeconds: number | null
  readonly nowSeconds: number
}

/**
 * Decides on the random characters of new codes.
 * @throws ConfigError if the chance of a guesser is too high. It names the length that is enough.
 */
export function planLength(
  before: readonly CodesInForce[],
  { count, length: wanted, endsAtSeconds, nowSeconds }: Wanted,
): Budget & { readonly length: number } {
  const lifeSeconds = (endsAtSeconds ?? nowSeconds + YEAR_SECONDS) - nowSeconds
  const fewest = lengthFor(count, lifeSeconds, before)
  if (fewest === null) {
    throw new ConfigError(
      'The codes that are valid already are too easy to guess for so long a time. Revoke some with: codes revoke, or use an earlier --until.',
    )
  }
  const length = wanted ?? fewest
  const budget = guessingBudget([...before, { length, count }], lifeSeconds)
  if (budget.chance > MOST_CHANCE) {
    throw new ConfigError(
      `With ${length} random characters, the chance that a guesser finds a valid code would be ${chanceWords(budget.chance)}. ` +
        `At most ${chanceWords(MOST_CHANCE)} is allowed. Use --length ${fewest}, fewer codes or an earlier --until.`,
    )
  }
  return { ...budget, length }
}
