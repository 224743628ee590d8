import { type Batch, endOf } from './code-records.ts'
import { type Budget, type CodesInForce, chanceWords, WRONG_CODES_IN_ALL } from './guessing-budget.ts'

/** Returns the codes of an entry point that are valid, or will be if their batch is completed. */
export function codesInForce(batches: readonly Batch[], nowSeconds: number): CodesInForce[] {
  const code = { number: 0, name: null, groups: [], attributes: {}, revokedAtSeconds: null }
  return batches.flatMap((batch) => {
    const { count, length, endsAtSeconds } = batch
    if (endOf({ batch, code }, nowSeconds) !== null) return []
    return [{ count, length, ...(endsAtSeconds !== null && { lifeSeconds: endsAtSeconds - nowSeconds }) }]
  })
}

/** Says what the budget means. */
export function budgetSentence({ chance, guesses }: Budget, endsAtSeconds: number | null): string {
  const period = endsAtSeconds === null ? 'within a year' : 'until the end'
  return (
    `The chance that a guesser finds any valid code ${period} is ${chanceWords(chance)}: ` +
    `${WRONG_CODES_IN_ALL.toLocaleString('en')} wrong codes in ten minutes are checked at most, ${guesses.toLocaleString('en')} in all.`
  )
}
