import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { type OpenCounter, secondsUntilForgotten } from './memory-counters.ts'

/** One attempt that may go on. Exactly one of these is called when its password has been checked. */
export interface Attempt {
  /**
   * The password was right: what this viewer mistyped at this address is forgiven, here and at the address.
   * @returns a refusal all the same where the limit was reached while the password was being checked. So a burst of
   *   guesses learns no more than one after the other would, and a burst of 2,000 right passwords is let through.
   */
  succeeded(): Promise<LimitRefusal | null>
  /**
   * The password was right, and lets nobody in (disabled, expired): as if there had been no attempt. Forgiven to one who
   * is turned away, failures would never add up where something in front of a login service says so to any password.
   * @returns as above.
   */
  turnedAway(): Promise<LimitRefusal | null>
  failed(): Promise<void>
  /** Nothing was checked (overload, store away): as if there had been no attempt. */
  abandoned(): Promise<void>
}

export interface LimitRefusal {
  readonly ok: false
  readonly limit: 'account-and-address' | 'account' | 'address'
  readonly retryAfterSeconds: number
}

export type Admission = { readonly ok: true; readonly attempt: Attempt } | LimitRefusal

export interface SignInLimits {
  /** Asked before a password is checked. */
  admit(username: string, address: string): Promise<Admission>
}

/** The counters that hold back one account. */
export const FAILED_PAIR = 'failed-pair'
export const DELAY = 'delay'
export const FAILED_ACCOUNT = 'failed-account'
/** Between account and address in the key of a pair; in no account's key. */
export const PAIR_MARK = '@'
const DAY_SECONDS = 86_400
/** NIST SP 800-63B 3.2.2: at most 100 consecutive failures for one account. */
const ACCOUNT_FAILURES = 100
/** Wide, because a company's viewers share one address; what a viewer mistyped is given back at success. */
const ADDRESS_FAILURES = 300
const ADDRESS_SECONDS = 600
const FREE_FAILURES = 5
const LONGEST_DELAY_SECONDS = 60
/** Below the longest timer (24.8 days) of the memory counters. */
const KNOWN_ADDRESS_SECONDS = 14 * DAY_SECONDS

/**
 * Counts failed sign-ins three ways (OWASP ASVS 6.1.1, 6.3.1). For a pair of account and address, after five failures
 * each attempt waits, from one second up to a minute. An account takes 100 failures a day from everywhere, and an
 * address 300 in ten minutes; both spare a pair that has signed in before, so that an attack from elsewhere does not
 * lock the owner out. An owner at a new address during such an attack has to wait: that cannot be told from the attack.
 */
export function createSignInLimits(openCounter: OpenCounter): SignInLimits {
  const pairs = openCounter(FAILED_PAIR, DAY_SECONDS)
  const delays = openCounter(DELAY, LONGEST_DELAY_SECONDS)
  const accounts = openCounter(FAILED_ACCOUNT, DAY_SECONDS)
  const addresses = openCounter('failed-address', ADDRESS_SECONDS)
  const known = openCounter('known-pair', KNOWN_ADDRESS_SECONDS)

  /** Counted when a password was wrong, since many viewers may try at once; asked before and after. */
  async function overAll(account: string, network: string): Promise<LimitRefusal | null> {
    const [inAccount, inNetwork] = await Promise.all([accounts.get(account), addresses.get(network)])
    if (inAccount !== null && inAccount.consumedPoints >= ACCOUNT_FAILURES) return refused('account', inAccount)
    if (inNetwork !== null && inNetwork.consumedPoints >= ADDRESS_FAILURES) return refused('address', inNetwork)
    return null
  }
  /** Counted at once: of simultaneous guesses at one account from one address, no more than five are checked. */
  async function overPair(pair: string): Promise<LimitRefusal | { isDelayed: boolean }> {
    const inPair = await pairs.penalty(pair)
    const attempts = inPair.consumedPoints
    if (attempts < FREE_FAILURES) return { isDelayed: false }
    // From the fifth attempt on, each takes a place that stays taken for the length of the delay.
    const delaySeconds = Math.min(2 ** (attempts - FREE_FAILURES), LONGEST_DELAY_SECONDS)
    const isCapped = attempts > ACCOUNT_FAILURES
    const place = isCapped ? inPair : await delays.penalty(pair, 1, { customDuration: delaySeconds })
    if (!isCapped && place.consumedPoints === 1) return { isDelayed: true }
    await pairs.giveBack(pair, 1)
    return refused('account-and-address', place)
  }

  async function admit(username: string, address: string): Promise<Admission> {
    const account = accountKey(username)
    const network = networkOf(address)
    const pair = `${account}${PAIR_MARK}${network}`
    const isKnown = (await known.get(pair)) !== null
    const refusal = isKnown ? null : await overAll(account, network)
    if (refusal !== null) return refusal
    const here = await overPair(pair)
    if ('limit' in here) return here

    const abandoned = async () => {
      await pairs.giveBack(pair, 1)
      if (here.isDelayed) await delays.delete(pair)
    }
    const failed = async () => void (await Promise.all([accounts.penalty(account), addresses.penalty(network)]))
    const rightPassword = async (isLetIn: boolean) => {
      const tooLate = isKnown ? null : await overAll(account, network)
      if (tooLate !== null || !isLetIn) {
        await abandoned()
        return tooLate
      }
      const mistyped = ((await pairs.get(pair))?.consumedPoints ?? 1) - 1
      await Promise.all([
        mistyped > 0 && addresses.giveBack(network, mistyped),
        pairs.delete(pair),
        delays.delete(pair),
        accounts.delete(account),
        known.set(pair, 1, KNOWN_ADDRESS_SECONDS),
      ])
      return null
    }
    const [succeeded, turnedAway] = [() => rightPassword(true), () => rightPassword(false)]
    return { ok: true, attempt: { succeeded, turnedAway, failed, abandoned } }
  }
  return { admit }
}

function refused(limit: LimitRefusal['limit'], counter: RateLimiterRes): LimitRefusal {
  return { ok: false, limit, retryAfterSeconds: secondsUntilForgotten(counter) }
}

/**
 * One key for all spellings that some store might take for the same account: a directory ignores case, accents, soft
 * hyphens and what has no width, and each spelling would else have tries of its own. Of fixed length, since a name is not.
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

/** The address itself, or for IPv6 the /64 that one household or server has for itself. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return (parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}
