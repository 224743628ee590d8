import type { Config } from '../../../config.ts'
import { budgetSentence, codesInForce } from '../../../features/access-codes/codes/batch-budget.ts'
import { createCodeStore } from '../../../features/access-codes/codes/code-store.ts'
import { guessingBudget, MOST_CHANCE, YEAR_SECONDS } from '../../../features/access-codes/codes/guessing-budget.ts'
import { accessCodesOf } from '../../../features/access-codes/fields.ts'
import { openGuestStore } from '../../../services/guests/record-stores.ts'
import type { GuestsSettings } from '../../../services/guests/settings.ts'
import { messageOf } from '../../cli/command.ts'

const now = () => Math.floor(Date.now() / 1000)

/** Returns a sentence about the guessing budget for each entry point with codes. */
export async function codeBudgets(config: Config): Promise<readonly string[]> {
  const withCodes = config.entryPoints.filter((one) => accessCodesOf(one) !== null)
  if (withCodes.length === 0) return []
  const { store } = config.features.guests as GuestsSettings
  try {
    const records = await openGuestStore(store, { nowSeconds: now, isCommand: true })
    try {
      const codes = createCodeStore(records)
      return await Promise.all(
        withCodes.map(async ({ name }) => {
          const inForce = codesInForce(await codes.batches(name), now())
          if (inForce.length === 0) return `Entry point ${name} has no valid access codes yet.`
          const lives = inForce.map(({ lifeSeconds = YEAR_SECONDS }) => lifeSeconds)
          const longest = Math.max(...lives)
          const hasEnd = inForce.every(({ lifeSeconds }) => lifeSeconds !== undefined)
          const budget = guessingBudget(inForce, longest)
          const isHigh = budget.chance > MOST_CHANCE ? ' This is more than 1 in 1,000: revoke codes.' : ''
          return `Access codes of entry point ${name}: ${budgetSentence(budget, hasEnd ? now() + longest : null)}${isHigh}`
        }),
      )
    } finally {
      await records.close()
    }
  } catch (error) {
    return [`The chance to guess an access code is not known: ${messageOf(error)}`]
  }
}
