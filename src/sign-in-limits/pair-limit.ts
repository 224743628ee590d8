import { ACCOUNT_FAILURES } from './failure-totals.ts'
import { DAY_SECONDS, type LimitRefusal, refused } from './limit-refusal.ts'
import type { OpenCounter } from './memory-counters.ts'

/** An attempt of an account from one address, which is counted already. */
export interface PairAttempt {
  /** False if the pair had no count before: then it has no failures to give back. */
  readonly hadCount: boolean
  /** Deletes the counts of the pair. */
  succeeded(): Promise<void>
  /** Undoes the count of this attempt. */
  abandoned(): Promise<void>
}

/** The names of the counters. */
export const FAILED_PAIR = 'failed-pair'
export const DELAY = 'delay'

const FREE_FAILURES = 5
export const LONGEST_DELAY_SECONDS = 60

/**
 * Limits the attempts of an account from one address. Counts before the password check, so that at most five parallel
 * guesses at one account from one address are checked.
 */
export function createPairLimit(openCounter: OpenCounter) {
  const pairs = openCounter(FAILED_PAIR, DAY_SECONDS)
  const delays = openCounter(DELAY, LONGEST_DELAY_SECONDS)

  function attemptOf(pair: string, attempts: number): PairAttempt {
    const isDelayed = attempts >= FREE_FAILURES
    return {
      hadCount: attempts > 1,
      succeeded: async () => void (await Promise.all([pairs.delete(pair), isDelayed && delays.delete(pair)])),
      abandoned: async () => void (await Promise.all([pairs.giveBack(pair, 1), isDelayed && delays.delete(pair)])),
    }
  }
  async function admit(pair: string): Promise<LimitRefusal | PairAttempt> {
    const inPair = await pairs.penalty(pair)
    const attempts = inPair.consumedPoints
    if (attempts < FREE_FAILURES) return attemptOf(pair, attempts)
    // From the fifth attempt on, an attempt blocks the pair for the length of the delay.
    const delaySeconds = Math.min(2 ** (attempts - FREE_FAILURES), LONGEST_DELAY_SECONDS)
    const isCapped = attempts > ACCOUNT_FAILURES
    const blocking = isCapped ? inPair : await delays.penalty(pair, 1, { customDuration: delaySeconds })
    if (!isCapped && blocking.consumedPoints === 1) return attemptOf(pair, attempts)
    await pairs.giveBack(pair, 1)
    return refused('account-and-address', blocking)
  }
  return {
    admit,
    /** Deletes the counts of the pair. */
    forget: async (pair: string) => void (await Promise.all([pairs.delete(pair), delays.delete(pair)])),
  }
}
