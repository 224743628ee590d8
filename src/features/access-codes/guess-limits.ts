import { siteOf } from '../../sign-in-limits/keys.ts'
import { type LimitRefusal, refused, TEN_MINUTES_SECONDS } from '../../sign-in-limits/limit-refusal.ts'
import type { OpenCounter } from '../../sign-in-limits/memory-counters.ts'
import { type AddressLimit, isInNetworks } from '../../sign-in-limits/settings.ts'
import { WRONG_CODES_IN_ALL } from './codes/guessing-budget.ts'

/** Limits wrong codes, at one entry point. */
export type GuessLimits = ReturnType<typeof createGuessLimits>

/** A network (/48) may have as many wrong codes as four addresses (/64). */
const NETWORKS_OF_SITE = 4

/**
 * Creates the limits that no number of addresses can pass: those by network (/48), and in all. The limit of one
 * address is that of passwords.
 */
export function createGuessLimits(
  openCounter: OpenCounter,
  { failures, trustedNetworks }: AddressLimit,
  entryPoint: string,
  inAll = WRONG_CODES_IN_ALL,
) {
  const networks = openCounter('wrong-codes-network', TEN_MINUTES_SECONDS)
  const all = openCounter('wrong-codes', TEN_MINUTES_SECONDS)
  const most = failures * NETWORKS_OF_SITE
  const ofAll = { limit: 'codes-in-all', counter: all, key: entryPoint, most: inAll } as const
  const limitsOf = (address: string) => {
    const ofNetwork = { limit: 'code-network', counter: networks, key: siteOf(address), most } as const
    return isInNetworks(trustedNetworks, address) ? [ofAll] : [ofNetwork, ofAll]
  }
  return {
    /**
     * Counts a typed code before it is checked, so that no more guesses are checked than are allowed, not even at the same
     * time. Returns a refusal, or null if the code may be checked.
     */
    async admit(address: string): Promise<LimitRefusal | null> {
      const counted: ReturnType<typeof limitsOf> = []
      // One after another, so that a refused network does not count toward the limit in all.
      for (const one of limitsOf(address)) {
        const count = await one.counter.penalty(one.key)
        counted.push(one)
        if (count.consumedPoints <= one.most) continue
        await Promise.all(counted.map(({ counter, key }) => counter.giveBack(key, 1)))
        return refused(one.limit, count)
      }
      return null
    },
    /** Called after a right code, and if the code was not checked: removes it from the counts. */
    async giveBack(address: string): Promise<void> {
      await Promise.all(limitsOf(address).map(({ counter, key }) => counter.giveBack(key, 1)))
    },
  }
}
