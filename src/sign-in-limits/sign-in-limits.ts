import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { type OpenCounter, secondsUntilForgotten } from './memory-counters.ts'

/** An admitted attempt. Call exactly one of these functions after the password check. */
export interface Attempt {
  /**
   * The password was right: deletes this viewer's failures at this address, also in the count of the address.
   * @returns a refusal if the limit was reached during the check. Parallel guesses therefore get no further than
   *   guesses one by one, and 2,000 parallel right passwords pass.
   */
  succeeded(): Promise<LimitRefusal | null>
  /**
   * The password was right, but the viewer is disabled, or the password expired: undoes the count of this attempt only.
   * Earlier failures stay, because a login service may answer "disabled" to any password.
   * @returns a refusal, as `succeeded` does.
   */
  denied(): Promise<LimitRefusal | null>
  /** The password was wrong. */
  failed(): Promise<void>
  /** The password was not checked (overload, store away): undoes the count of this attempt. */
  abandoned(): Promise<void>
}

export interface LimitRefusal {
  readonly ok: false
  readonly limit: 'account-and-address' | 'account' | 'address'
  readonly retryAfterSeconds: number
}

export type Admission = { readonly ok: true; readonly attempt: Attempt } | LimitRefusal

export interface SignInLimits {
  /** Counts an attempt and checks the limits. Call before the password check. */
  admit(username: string, address: string): Promise<Admission>
}

/** The names of the counters of one account. */
export const FAILED_PAIR = 'failed-pair'
export const DELAY = 'delay'
export const FAILED_ACCOUNT = 'failed-account'
/** Separates account and address in the key of a pair. No account key contains it. */
export const PAIR_MARK = '@'
const DAY_SECONDS = 86_400
/** NIST SP 800-63B 3.2.2: at most 100 consecutive failures for one account. */
const ACCOUNT_FAILURES = 100
/** High, because the viewers of a company share one address. A success subtracts the viewer's own failures. */
const ADDRESS_FAILURES = 300
const ADDRESS_SECONDS = 600
const FREE_FAILURES = 5
const LONGEST_DELAY_SECONDS = 60
/** Below the longest timer (24.8 days) of the memory counters. */
const KNOWN_ADDRESS_SECONDS = 14 * DAY_SECONDS

/**
 * Counts failed sign-ins in three ways (OWASP ASVS 6.1.1, 6.3.1). README.md has the numbers. The limits of an
 * account and of an address do not apply to a pair that has signed in before, so that an attack from elsewhere does not
 * lock out the owner. An owner at a new address must wait, because the app cannot tell owner and attacker apart.
 */
export function createSignInLimits(openCounter: OpenCounter): SignInLimits {
  const pairs = openCounter(FAILED_PAIR, DAY_SECONDS)
  const delays = openCounter(DELAY, LONGEST_DELAY_SECONDS)
  const accounts = openCounter(FAILED_ACCOUNT, DAY_SECONDS)
  const addresses = openCounter('failed-address', ADDRESS_SECONDS)
  const known = openCounter('known-pair', KNOWN_ADDRESS_SECONDS)

  /**
   * Returns a refusal if the account or the address has too many failures. They are counted after a wrong password,
   * because many viewers may try at the same time. Called before and after the password check.
   */
  async function refusalOfTotals(account: string, network: string): Promise<LimitRefusal | null> {
    const [inAccount, inNetwork] = await Promise.all([accounts.get(account), addresses.get(network)])
    if (inAccount !== null && inAccount.consumedPoints >= ACCOUNT_FAILURES) return refused('account', inAccount)
    if (inNetwork !== null && inNetwork.consumedPoints >= ADDRESS_FAILURES) return refused('address', inNetwork)
    return null
  }
  /**
   * Counts an attempt of the pair, or returns a refusal. Counts before the password check, so that at most five
   * parallel guesses at one account from one address are checked.
   */
  async function countForPair(pair: string): Promise<LimitRefusal | { isDelayed: boolean }> {
    const inPair = await pairs.penalty(pair)
    const attempts = inPair.consumedPoints
    if (attempts < FREE_FAILURES) return { isDelayed: false }
    // From the fifth attempt on, an attempt blocks the pair for the length of the delay.
    const delaySeconds = Math.min(2 ** (attempts - FREE_FAILURES), LONGEST_DELAY_SECONDS)
    const isCapped = attempts > ACCOUNT_FAILURES
    const blocking = isCapped ? inPair : await delays.penalty(pair, 1, { customDuration: delaySeconds })
    if (!isCapped && blocking.consumedPoints === 1) return { isDelayed: true }
    await pairs.giveBack(pair, 1)
    return refused('account-and-address', blocking)
  }

  async function admit(username: string, address: string): Promise<Admission> {
    const account = accountKey(username)
    const network = networkOf(address)
    const pair = `${account}${PAIR_MARK}${network}`
    const isKnown = (await known.get(pair)) !== null
    const refusal = isKnown ? null : await refusalOfTotals(account, network)
    if (refusal !== null) return refusal
    const counted = await countForPair(pair)
    if ('limit' in counted) return counted

    const abandoned = async () => {
      await pairs.giveBack(pair, 1)
      if (counted.isDelayed) await delays.delete(pair)
    }
    const failed = async () => void (await Promise.all([accounts.penalty(account), addresses.penalty(network)]))
    const rightPassword = async (isAllowed: boolean) => {
      const limitReached = isKnown ? null : await refusalOfTotals(account, network)
      if (limitReached !== null || !isAllowed) {
        await abandoned()
        return limitReached
      }
      const earlierFailures = ((await pairs.get(pair))?.consumedPoints ?? 1) - 1
      await Promise.all([
        earlierFailures > 0 && addresses.giveBack(network, earlierFailures),
        pairs.delete(pair),
        delays.delete(pair),
        accounts.delete(account),
        known.set(pair, 1, KNOWN_ADDRESS_SECONDS),
      ])
      return null
    }
    const outcomes = { succeeded: () => rightPassword(true), denied: () => rightPassword(false), failed, abandoned }
    return { ok: true, attempt: outcomes }
  }
  return { admit }
}

function refused(limit: LimitRefusal['limit'], counter: RateLimiterRes): LimitRefusal {
  return { ok: false, limit, retryAfterSeconds: secondsUntilForgotten(counter) }
}

/**
 * Returns one key for all spellings that a user store may treat as the same account; otherwise each spelling would have
 * its own attempts. A directory ignores case, accents, soft hyphens and zero-width characters. The key has a fixed
 * length.
 */
export function accountKey(username: string): string {
  const spelling = username
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/\s+/gu, ' ')
    .trim()
  return createHash('sha256').update(spelling).digest('base64url').slice(0, 22)
}

/** Returns the address, or for IPv6 its /64, which belongs to one household or server. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return (parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}
