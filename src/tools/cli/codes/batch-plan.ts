import { ConfigError } from '../../../errors.ts'
import { type Batch, endOf } from '../../../features/access-codes/codes/code-records.ts'
import {
  type Budget,
  type CodesInForce,
  chanceWords,
  guessingBudget,
  lengthFor,
  MOST_CHANCE,
  WRONG_CODES_IN_ALL,
  YEAR_SECONDS,
} from '../../../features/access-codes/codes/guessing-budget.ts'

interface Wanted {
  readonly count: number
  /** Undefined: the fewest that the budget allows. */
  readonly length: number | undefined
  readonly endsAtSeconds: number | null
  readonly nowSeconds: number
}

/** Returns the codes of an entry point that are valid, or will be if their batch is completed. */
export function codesInForce(batches: readonly Batch[], nowSeconds: number): CodesInForce[] {
  const code = { number: 0, name: null, groups: [], attributes: {}, revokedAtSeconds: null }
  return batches.flatMap((batch) => {
    const { count, length, endsAtSeconds } = batch
    if (endOf({ batch, code }, nowSeconds) !== null) return []
    return [{ count, length, ...(endsAtSeconds !== null && { lifeSeconds: endsAtSeconds - nowSeconds }) }]
  })
}

/**
 * Decides on the random characters of new codes.
 * @throws ConfigError if a guesser would have too good a chance, with the length that would do.
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

/** Says what the budget means. */
export function budgetSentence({ chance, guesses }: Budget, endsAtSeconds: number | null): string {
  const period = endsAtSeconds === null ? 'within a year' : 'until the end'
  return (
    `The chance that a guesser finds any valid code ${period} is ${chanceWords(chance)}: ` +
    `${WRONG_CODES_IN_ALL.toLocaleString('en')} wrong codes in ten minutes are checked at most, ${guesses.toLocaleString('en')} in all.`
  )
}
