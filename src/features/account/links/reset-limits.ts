import { accountKey, networkOf } from '../../../sign-in-limits/keys.ts'
import type { OpenCounter } from '../../../sign-in-limits/memory-counters.ts'
import { isInNetworks, type Network } from '../../../sign-in-limits/settings.ts'

export interface ResetRefusal {
  readonly limit: 'network' | 'account' | 'total'
  readonly retryAfterSeconds: number
}

/** Limits requests for a link, so that no mailbox is flooded. Unknown names count as known ones do. */
export interface ResetLimits {
  /** Counts a request. @returns a refusal, or null. */
  admit(username: string, address: string): Promise<ResetRefusal | null>
  /**
   * Counts a mail to an account. Never changes the answer of `admit`, which would reveal whose address was typed before.
   * @returns false if the account had enough mails.
   */
  admitMail(username: string): Promise<boolean>
}

const HOUR_SECONDS = 3_600
const TEN_MINUTES_SECONDS = 600
const MOST_OF_ACCOUNT = 3
const MOST_OF_NETWORK = 10

/**
 * @param inTotal mails in an hour, for all viewers together.
 * @param trustedNetworks their addresses have no limit of their own.
 */
export function createResetLimits(
  openCounter: OpenCounter,
  inTotal: number,
  trustedNetworks: readonly Network[] = [],
): ResetLimits {
  const networks = { counter: openCounter('reset-network', TEN_MINUTES_SECONDS), most: MOST_OF_NETWORK }
  const accounts = { counter: openCounter('reset-account', HOUR_SECONDS), most: MOST_OF_ACCOUNT }
  const mails = openCounter('reset-mails', HOUR_SECONDS)
  const total = { counter: openCounter('reset-total', HOUR_SECONDS), most: inTotal }

  return {
    async admit(username, address) {
      // One after another, so that a refused request uses up no other limit.
      for (const [limit, { counter, most }, key] of [
        ['network', networks, networkOf(address)],
        ['account', accounts, accountKey(username)],
        ['total', total, 'all'],
      ] as const) {
        if (limit === 'network' && isInNetworks(trustedNetworks, address)) continue
        const { consumedPoints, msBeforeNext } = await counter.penalty(key)
        if (consumedPoints > most) return { limit, retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) }
      }
      return null
    },
    async admitMail(username) {
      const { consumedPoints } = await mails.penalty(accountKey(username))
      return consumedPoints <= MOST_OF_ACCOUNT
    },
  }
}
