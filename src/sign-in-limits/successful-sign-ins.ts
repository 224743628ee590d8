import type { RateLimiterRes } from 'rate-limiter-flexible'
import type { WayInCapacity } from './capacity.ts'
import { TEN_MINUTES_SECONDS } from './limit-refusal.ts'
import { openMemoryCounter } from './memory-counters.ts'

/** Enough for 2,000 viewers with one account and address, who sign in for the player and for the chat. */
const SUCCESSES_OF_PAIR = 5_000
const SUCCESSES_OF_ACCOUNT = 10_000
/** Few, because an account with many sign-ins is increased often, and therefore never evicted. */
const MOST_KEYS = 10_000

export const PASSWORD_CAPACITIES: readonly WayInCapacity[] = [
  { wayIn: 'password', viewers: null },
  { wayIn: 'password of one account that all share', viewers: SUCCESSES_OF_PAIR },
]

/**
 * Counts sign-ins with the right password, so that one account cannot occupy the machine. In memory, also with a shared
 * store: the limit protects the processor, and each copy of the app has its own.
 */
export function createSuccessfulSignIns() {
  const pairs = openMemoryCounter('successful-pair', TEN_MINUTES_SECONDS, MOST_KEYS)
  const accounts = openMemoryCounter('successful-account', TEN_MINUTES_SECONDS, MOST_KEYS)

  return {
    /** Returns the count that is at its limit; null if there is none. */
    async reached(account: string, pair: string): Promise<RateLimiterRes | null> {
      const [inPair, inAccount] = await Promise.all([pairs.get(pair), accounts.get(account)])
      if (inPair !== null && inPair.consumedPoints >= SUCCESSES_OF_PAIR) return inPair
      return inAccount !== null && inAccount.consumedPoints >= SUCCESSES_OF_ACCOUNT ? inAccount : null
    },
    /** Counts a sign-in. Returns the count that was at its limit already; null if there is none. */
    async count(account: string, pair: string): Promise<RateLimiterRes | null> {
      const [inPair, inAccount] = await Promise.all([pairs.penalty(pair), accounts.penalty(account)])
      if (inPair.consumedPoints > SUCCESSES_OF_PAIR) return inPair
      return inAccount.consumedPoints > SUCCESSES_OF_ACCOUNT ? inAccount : null
    },
    /**
     * Counts the right password of a viewer who may not sign in, for the pair only. Some stores answer "disabled" to any
     * password, and an attacker at another address must not block the account.
     */
    countDenied: async (pair: string) => void (await pairs.penalty(pair)),
  }
}
