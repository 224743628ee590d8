import type { Config } from '../../../config.ts'
import { budgetSentence, codesInForce } from '../../../features/access-codes/codes/batch-budget.ts'
import type { Batch } from '../../../features/access-codes/codes/code-records.ts'
import { createCodeStore } from '../../../features/access-codes/codes/code-store.ts'
import { guessingBudget, MOST_CHANCE, YEAR_SECONDS } from '../../../features/access-codes/codes/guessing-budget.ts'
import { accessCodesOf } from '../../../features/access-codes/fields.ts'
import { withGuestStore } from '../../../services/guests/record-stores.ts'
import type { GuestsSettings } from '../../../services/guests/settings.ts'
import { messageOf } from '../../cli/terminal/command.ts'
import { now } from './open-codes.ts'

/** Returns a sentence about the guessing budget for each entry point with codes. */
export async function codeBudgets(config: Config): Promise<readonly string[]> {
  const withCodes = config.entryPoints.filter((one) => accessCodesOf(one) !== null)
  if (withCodes.length === 0) return []
  const { store } = config.features.guests as GuestsSettings
  try {
    return await withGuestStore(store, (records) => {
      const codes = createCodeStore(records)
      return Promise.all(withCodes.map(async ({ name }) => budgetOf(name, await codes.batches(name))))
    })
  } catch (error) {
    return [`The chance to guess an access code is not known: ${messageOf(error)}`]
  }
}

function budgetOf(entryPoint: string, batches: readonly Batch[]): string {
  const inForce = codesInForce(batches, now())
  if (inForce.length === 0) return `Entry point ${entryPoint} has no valid access codes yet.`
  const longest = Math.max(...inForce.map(({ lifeSeconds = YEAR_SECONDS }) => lifeSeconds))
  const hasEnd = inForce.every(({ lifeSeconds }) => lifeSeconds !== undefined)
  const budget = guessingBudget(inForce, longest)
  const isHigh = budget.chance > MOST_CHANCE ? ' This is more than 1 in 1,000: revoke codes.' : ''
  return `Access codes of entry point ${entryPoint}: ${budgetSentence(budget, hasEnd ? now() + longest : null)}${isHigh}`
}
