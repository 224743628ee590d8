import type { RateLimiterRes } from 'rate-limiter-flexible'
import { DAY_SECONDS, type LimitRefusal, refused, TEN_MINUTES_SECONDS } from './limit-refusal.ts'
import type { OpenCounter } from './memory-counters.ts'

/** The failures of an account under all its names, and of an address; null without a failure. */
export interface Totals {
  readonly inAccounts: readonly (RateLimiterRes | null)[]
  readonly inNetwork: RateLimiterRes | null
}

/** The name of the counter of accounts. */
export const FAILED_ACCOUNT = 'failed-account'

/** NIST SP 800-63B 3.2.2: at most 100 consecutive failures for one account. */
export const ACCOUNT_FAILURES = 100
/** High, because the viewers of a company share one address. A success subtracts the viewer's own failures. */
const ADDRESS_FAILURES = 300
/** Few, because a pair that is evicted only loses what a success would give back. */
const MOST_MISTYPED = 10_000

/**
 * Counts the failures of accounts and of addresses. They are counted after a wrong password, because many viewers may
 * try at the same time.
 */
export function createFailureTotals(openCounter: OpenCounter) {
  const inAllAccounts = openCounter(FAILED_ACCOUNT, DAY_SECONDS)
  const addresses = openCounter('failed-address', TEN_MINUTES_SECONDS)
  /** The failures of a pair within the count of its address. Attempts under way are not among them. */
  const mistyped = openCounter('mistyped', TEN_MINUTES_SECONDS, MOST_MISTYPED)

  return {
    async read(accounts: readonly string[], network: string): Promise<Totals> {
      const [inNetwork, ...inAccounts] = await Promise.all([
        addresses.get(network),
        ...accounts.map((account) => inAllAccounts.get(account)),
      ])
      return { inAccounts, inNetwork }
    },
    /** @param before the counts from just before, which say how long the count of the address lasts. */
    async countFailure(
      accounts: readonly string[],
      network: string,
      { pair, before }: { readonly pair: string; readonly before: Totals },
    ): Promise<Totals> {
      // Ends before the count of the address, so that nothing is given back that another period counted.
      const msLeft = before.inNetwork?.msBeforeNext ?? TEN_MINUTES_SECONDS * 1000
      const customDuration = Math.floor((msLeft - 1) / 1000)
      const [inNetwork, , ...inAccounts] = await Promise.all([
        addresses.penalty(network),
        customDuration > 0 && mistyped.penalty(pair, 1, { customDuration }),
        ...accounts.map((account) => inAllAccounts.penalty(account)),
      ])
      return { inAccounts, inNetwork }
    },
    /** Deletes the failures of an account under all its names. */
    async forget(accounts: readonly string[]): Promise<void> {
      await Promise.all(accounts.map((account) => inAllAccounts.delete(account)))
    },
    /** Subtracts the failures of the pair from the count of the address. */
    async giveBack(network: string, pair: string): Promise<void> {
      const failures = await mistyped.take(pair)
      if (failures > 0) await addresses.giveBack(network, failures)
    },
  }
}

/** Returns a refusal if a limit was reached already before the last `own` failures. */
export function refusalOf({ inAccounts, inNetwork }: Totals, own = 0): LimitRefusal | null {
  const inAccount = inAccounts.find((count) => count !== null && count.consumedPoints - own >= ACCOUNT_FAILURES)
  if (inAccount) return refused('account', inAccount)
  const isNetworkAtLimit = inNetwork !== null && inNetwork.consumedPoints - own >= ADDRESS_FAILURES
  return isNetworkAtLimit ? refused('address', inNetwork) : null
}
