import type { RateLimiterRes } from 'rate-limiter-flexible'
import { TEN_MINUTES_SECONDS } from './limit-refusal.ts'
import { boundedCounter } from './memory-counters.ts'

/** Counts sign-ins with the right password, so that one account cannot occupy the machine. */
export interface SuccessfulSignIns {
  /** Returns the count that is at its limit; null if there is none. */
  reached(account: string, pair: string): Promise<RateLimiterRes | null>
  /** Counts a sign-in. Returns the count that was at its limit already; null if there is none. */
  count(account: string, pair: string): Promise<RateLimiterRes | null>
  /**
   * Counts the right password of a viewer who may not sign in, for the pair only. Some login services answer "disabled"
   * to any password, and an attacker at another address must not block the account.
   */
  countDenied(pair: string): Promise<void>
}

/** 2,000 viewers who share an account behind one address, each with a sign-in for the player and one for the chat. */
const SUCCESSES_OF_PAIR = 5_000
const SUCCESSES_OF_ACCOUNT = 10_000
/** Few, because an account with many sign-ins is increased often, and therefore never evicted. */
const MOST_KEYS = 10_000

/** Counts in memory, also with a shared store: the limit protects the processor, and each copy of the app has its own. */
export function createSuccessfulSignIns(): SuccessfulSignIns {
  const pairs = boundedCounter('successful-pair', TEN_MINUTES_SECONDS, MOST_KEYS)
  const accounts = boundedCounter('successful-account', TEN_MINUTES_SECONDS, MOST_KEYS)

  return {
    async reached(account, pair) {
      const [inPair, inAccount] = await Promise.all([pairs.get(pair), accounts.get(account)])
      if (inPair !== null && inPair.consumedPoints >= SUCCESSES_OF_PAIR) return inPair
      return inAccount !== null && inAccount.consumedPoints >= SUCCESSES_OF_ACCOUNT ? inAccount : null
    },
    async count(account, pair) {
      const [inPair, inAccount] = await Promise.all([pairs.penalty(pair), accounts.penalty(account)])
      if (inPair.consumedPoints > SUCCESSES_OF_PAIR) return inPair
      return inAccount.consumedPoints > SUCCESSES_OF_ACCOUNT ? inAccount : null
    },
    countDenied: async (pair) => void (await pairs.penalty(pair)),
  }
}
