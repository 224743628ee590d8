import type { RateLimiterRes } from 'rate-limiter-flexible'
import { type OpenCounter, openMemoryCounter } from './memory-counters.ts'

/** Counts sign-ins with the right password, so that one account cannot occupy the machine. */
export interface RightSignIns {
  /** Returns the count that is at its limit, as far as this process knows; null if there is none. */
  reached(account: string, pair: string): Promise<RateLimiterRes | null>
  /** Counts a sign-in. Returns the count that was at its limit already; null if there is none. */
  count(account: string, pair: string): Promise<RateLimiterRes | null>
  /**
   * Counts the right password of a viewer who may not sign in, for the pair only: some login services answer so to any
   * password, and an attacker elsewhere must not close the account.
   */
  countDenied(pair: string): Promise<void>
}

export const RIGHT_SECONDS = 600
/** 2,000 viewers who share an account behind one address, each with a sign-in for the player and one for the chat. */
const RIGHT_OF_PAIR = 5_000
const RIGHT_OF_ACCOUNT = 10_000
/** Few, because an account with many sign-ins is never the least recently increased of so many. */
const MOST_KEYS = 10_000

export function createRightSignIns(openCounter: OpenCounter): RightSignIns {
  const pairs = openCounter('right-pair', RIGHT_SECONDS, MOST_KEYS)
  const accounts = openCounter('right-account', RIGHT_SECONDS, MOST_KEYS)
  /** Keys at their limit. In memory, so that an ordinary sign-in does not ask Redis twice more. */
  const full = openMemoryCounter('right-full', RIGHT_SECONDS, MOST_KEYS)

  /** Returns the count if it is over the limit, and remembers it from the limit on. */
  async function judge(key: string, count: RateLimiterRes, limit: number): Promise<RateLimiterRes | null> {
    if (count.consumedPoints < limit) return null
    const seconds = Math.ceil(count.msBeforeNext / 1000)
    await full.set(key, count.consumedPoints, Math.min(Math.max(1, seconds), RIGHT_SECONDS))
    return count.consumedPoints > limit ? count : null
  }
  return {
    async reached(account, pair) {
      const [ofPair, ofAccount] = await Promise.all([full.get(pair), full.get(account)])
      return ofPair ?? ofAccount
    },
    async count(account, pair) {
      const [inPair, inAccount] = await Promise.all([pairs.penalty(pair), accounts.penalty(account)])
      const [ofPair, ofAccount] = await Promise.all([
        judge(pair, inPair, RIGHT_OF_PAIR),
        judge(account, inAccount, RIGHT_OF_ACCOUNT),
      ])
      return ofPair ?? ofAccount
    },
    countDenied: async (pair) => void (await judge(pair, await pairs.penalty(pair), RIGHT_OF_PAIR)),
  }
}
