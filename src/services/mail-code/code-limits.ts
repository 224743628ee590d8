import { mostBegun } from '../../sign-in-limits/capacity.ts'
import { accountKey, networkOf, pairKey, siteOf } from '../../sign-in-limits/keys.ts'
import { DAY_SECONDS, type LimitRefusal, refused, TEN_MINUTES_SECONDS } from '../../sign-in-limits/limit-refusal.ts'
import type { OpenCounter } from '../../sign-in-limits/memory-counters.ts'
import { type AddressLimit, isInNetworks } from '../../sign-in-limits/settings.ts'
import { domainOf } from '../guests/mail-address.ts'
import { HOUR_SECONDS, mostOfNetwork } from '../mail/mail-shares.ts'

/** Limits codes by mail. Every typed address counts, so that no limit tells which addresses may get a code. */
export type CodeLimits = ReturnType<typeof createCodeLimits>

const KNOWN_SECONDS = 14 * DAY_SECONDS
/** Mails to one mailbox that one network may cause in ten minutes. */
export const MOST_OF_PAIR = 10
/** Guesses at the codes of one mailbox by one network in ten minutes. */
export const MOST_GUESSES_OF_PAIR = 25
/** Mails to one mailbox in an hour, caused by networks from which its owner never signed in. */
export const MOST_OF_MAILBOX = 10

/** Creates the limits. @param mailsPerHour codes sent in an hour, all together: a network may ask for a part of them. */
export function createCodeLimits(
  openCounter: OpenCounter,
  { failures, trustedNetworks }: AddressLimit,
  mailsPerHour: number,
) {
  const requests = openCounter('mail-code-network', TEN_MINUTES_SECONDS)
  const hourly = openCounter('mail-code-network-hour', HOUR_SECONDS)
  const checks = openCounter('mail-code-checks', TEN_MINUTES_SECONDS)
  const guesses = openCounter('mail-code-guesses', TEN_MINUTES_SECONDS)
  const pairs = openCounter('mail-code-pair', TEN_MINUTES_SECONDS)
  const mailboxes = openCounter('mail-code-mailbox', HOUR_SECONDS)
  const known = openCounter('mail-code-known', KNOWN_SECONDS)
  const pairOf = (address: string, client: string) => pairKey(mailboxKey(address), networkOf(client))
  const steps = (address: string, client: string) =>
    [
      // One after another, so that a refused request does not count toward other limits.
      { limit: 'network', counter: requests, key: siteOf(client), most: mostBegun({ failures }), isOf: 'network' },
      { limit: 'network', counter: hourly, key: siteOf(client), most: mostOfNetwork(mailsPerHour), isOf: 'network' },
      { limit: 'mailbox-and-network', counter: pairs, key: pairOf(address, client), most: MOST_OF_PAIR, isOf: 'pair' },
      { limit: 'mailbox', counter: mailboxes, key: mailboxKey(address), most: MOST_OF_MAILBOX, isOf: 'mailbox' },
    ] as const

  /** Called after a typed code that was sent to this address: its typist reads the mailbox. */
  async function wasNoGuess(address: string, client: string): Promise<void> {
    const pair = pairOf(address, client)
    await Promise.all([
      checks.giveBack(siteOf(client), 1),
      guesses.giveBack(pair, 1),
      pairs.delete(pair),
      known.set(pair, 1, KNOWN_SECONDS),
      known.set(mailboxKey(address), 1, KNOWN_SECONDS),
    ])
  }

  return {
    /** Counts a request for a code. @returns a refusal, or null. */
    async admit(address: string, client: string): Promise<LimitRefusal | null> {
      const isTrusted = isInNetworks(trustedNetworks, client)
      const isKnown = (await known.get(pairOf(address, client))) !== null
      for (const { limit, counter, key, most, isOf } of steps(address, client)) {
        if ((isOf === 'network' && isTrusted) || (isOf === 'mailbox' && isKnown)) continue
        const count = await counter.penalty(key)
        if (count.consumedPoints > most) return refused(limit, count)
      }
      return null
    },
    /** Called if an admitted request caused no mail. */
    async withdraw(address: string, client: string): Promise<void> {
      await Promise.all(steps(address, client).map(({ counter, key }) => counter.giveBack(key, 1)))
    },
    /** Counts a guess, before it is compared with codes. @returns a refusal, or null. */
    async admitGuess(address: string, client: string): Promise<LimitRefusal | null> {
      const count = await guesses.penalty(pairOf(address, client))
      return count.consumedPoints <= MOST_GUESSES_OF_PAIR ? null : refused('mailbox-and-network', count)
    },
    /** Counts a typed code. @returns a refusal, or null. */
    async admitCheck(client: string): Promise<LimitRefusal | null> {
      if (isInNetworks(trustedNetworks, client)) return null
      const count = await checks.penalty(siteOf(client))
      return count.consumedPoints <= failures ? null : refused('network', count)
    },
    wasNoGuess,
    /** Called after a right code: removes it from the counts. Strangers then cannot stop mails that this network requests. */
    async succeeded(address: string, client: string): Promise<void> {
      await Promise.all([requests.giveBack(siteOf(client), 1), wasNoGuess(address, client)])
    },
    /** True if the owner of this mailbox used a code within the last 14 days. */
    isKnown: async (address: string) => (await known.get(mailboxKey(address))) !== null,
  }
}

/**
 * Returns one key for all addresses that may lead to the same mailbox: with any text after "+", and with any dots, as at
 * Gmail. Otherwise the limits of one mailbox would not hold for it.
 */
export function mailboxKey(address: string): string {
  const [local = ''] = address.split(/[+@]/, 1)
  return accountKey(`${local.replaceAll('.', '')}@${domainOf(address)}`)
}
