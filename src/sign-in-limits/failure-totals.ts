import type { RateLimiterRes } from 'rate-limiter-flexible'
import { DAY_SECONDS, type LimitRefusal, refused, TEN_MINUTES_SECONDS } from './limit-refusal.ts'
import type { OpenCounter } from './memory-counters.ts'

/** The failures of an account under all its names, and of an address; null without a failure or without a limit. */
export interface Totals {
  readonly inAccounts: readonly (RateLimiterRes | null)[]
  readonly inNetwork: RateLimiterRes | null
}

/** The names of the counters. */
export const FAILED_ACCOUNT = 'failed-account'
export const FAILED_ADDRESS = 'failed-address'

/** NIST SP 800-63B 3.2.2: at most 100 consecutive failures for one account. */
export const ACCOUNT_FAILURES = 100
/** Few, because a pair that is evicted only loses what a success would give back. */
const MOST_MISTYPED = 10_000

/**
 * Counts the failures of accounts and of addresses. They are counted after a wrong password, because many viewers may
 * try at the same time.
 * @param mostOfAddress the failures that refuse an address.
 */
export function createFailureTotals(openCounter: OpenCounter, mostOfAddress: number) {
  const inAllAccounts = openCounter(FAILED_ACCOUNT, DAY_SECONDS)
  const addresses = openCounter(FAILED_ADDRESS, TEN_MINUTES_SECONDS)
  /** The failures of a pair within the count of its address. Attempts under way are not among them. */
  const mistyped = openCounter('mistyped', TEN_MINUTES_SECONDS, MOST_MISTYPED)

  return {
    /** @param network null if the address has no limit. */
    async read(accounts: readonly string[], network: string | null): Promise<Totals> {
      const [inNetwork, ...inAccounts] = await Promise.all([
        network === null ? null : addresses.get(network),
        ...accounts.map((account) => inAllAccounts.get(account)),
      ])
      return { inAccounts, inNetwork }
    },
    /**
     * @param network null if the address has no limit.
     * @param before the counts from just before, which say how long the count of the address lasts.
     */
    async countFailure(
      accounts: readonly string[],
      network: string | null,
      { pair, before }: { readonly pair: string; readonly before: Totals },
    ): Promise<Totals> {
      // Ends before the count of the address, so that nothing is given back that another period counted.
      const msLeft = before.inNetwork?.msBeforeNext ?? TEN_MINUTES_SECONDS * 1000
      const customDuration = Math.floor((msLeft - 1) / 1000)
      const [inNetwork, , ...inAccounts] = await Promise.all([
        network === null ? null : addresses.penalty(network),
        network !== null && customDuration > 0 && mistyped.penalty(pair, 1, { customDuration }),
        ...accounts.map((account) => inAllAccounts.penalty(account)),
      ])
      return { inAccounts, inNetwork }
    },
    /** Deletes the failures of an account under all its names. */
    async forget(accounts: readonly string[]): Promise<void> {
      await Promise.all(accounts.map((account) => inAllAccounts.delete(account)))
    },
    /** Returns a refusal if a limit was reached already before the last `own` failures. */
    refusalOf({ inAccounts, inNetwork }: Totals, own = 0): LimitRefusal | null {
      const inAccount = inAccounts.find((count) => count !== null && count.consumedPoints - own >= ACCOUNT_FAILURES)
      if (inAccount) return refused('account', inAccount)
      const isNetworkAtLimit = inNetwork !== null && inNetwork.consumedPoints - own >= mostOfAddress
      return isNetworkAtLimit ? refused('address', inNetwork) : null
    },
    /** Subtracts the failures of the pair from the count of the address. */
    async giveBack(network: string, pair: string): Promise<void> {
      const failures = await mistyped.take(pair)
      if (failures > 0) await addresses.giveBack(network, failures)
    },
  }
}
