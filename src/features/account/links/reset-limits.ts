import { createMailShares, HOUR_SECONDS, mostOfNetwork } from '../../../services/mail/mail-shares.ts'
import { accountKey, siteOf } from '../../../sign-in-limits/keys.ts'
import { type LimitRefusal, refused } from '../../../sign-in-limits/limit-refusal.ts'
import type { OpenCounter } from '../../../sign-in-limits/memory-counters.ts'
import { isInNetworks, type Network } from '../../../sign-in-limits/settings.ts'

/** Limits requests for a link, so that no mailbox is flooded. Unknown names count as known ones do. */
export type ResetLimits = ReturnType<typeof createResetLimits>

const MOST_OF_ACCOUNT = 3
/** One network may always ask for as many links in an hour. */
const FEWEST_OF_NETWORK = 10

/**
 * @param mailsPerHour mails in an hour, for all viewers together.
 * @param trustedNetworks their addresses have no limit of their own.
 */
export function createResetLimits(
  openCounter: OpenCounter,
  mailsPerHour: number,
  trustedNetworks: readonly Network[] = [],
  entryPoints = 1,
) {
  const most = mostOfNetwork(mailsPerHour, FEWEST_OF_NETWORK)
  const networks = { counter: openCounter('reset-network-hour', HOUR_SECONDS), most }
  const accounts = { counter: openCounter('reset-account', HOUR_SECONDS), most: MOST_OF_ACCOUNT }
  const mails = openCounter('reset-mails', HOUR_SECONDS)

  return {
    /** Counts a request. @returns a refusal, or null. */
    async admit(username: string, address: string): Promise<LimitRefusal | null> {
      // One after another, so that a refused request uses up no other limit.
      for (const [limit, { counter, most }, key] of [
        ['network', networks, siteOf(address)],
        ['account', accounts, accountKey(username)],
      ] as const) {
        if (limit === 'network' && isInNetworks(trustedNetworks, address)) continue
        const count = await counter.penalty(key)
        if (count.consumedPoints > most) return refused(limit, count)
      }
      return null
    },
    /**
     * Counts a mail to an account. Never changes the answer of `admit`, which would reveal whose address was typed before.
     * @returns false if the account had enough mails.
     */
    async admitMail(username: string): Promise<boolean> {
      const { consumedPoints } = await mails.penalty(accountKey(username))
      return consumedPoints <= MOST_OF_ACCOUNT
    },
    /** The mails of all viewers. Never changes the answer of `admit`, which would reveal that an account exists. */
    shares: createMailShares(openCounter, 'reset-shares', mailsPerHour, () => entryPoints),
  }
}
