import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import type { OpenCounter } from './memory-counters.ts'
import { createRightSignIns, RIGHT_SECONDS } from './right-sign-ins.ts'

/**
 * An admitted attempt. Call exactly one of these functions after the password check. Each can return a refusal, to
 * answer in place of the outcome: once a limit is reached, all attempts under way get the same answer after the same
 * steps, so a burst of guesses learns no more than guesses one by one. 2,000 parallel right passwords pass.
 * `storedName` is the name of the account in the user store, if the typed name is another name of it. All names of an
 * account share its failures.
 */
export interface Attempt {
  /** The password was right: deletes this viewer's failures at this address, also in the count of the address. */
  succeeded(storedName?: string): Promise<LimitRefusal | null>
  /**
   * The password was right, but the viewer is disabled, or the password expired: undoes the count of this attempt only.
   * Earlier failures stay, because a login service may answer "disabled" to any password.
   */
  denied(storedName?: string): Promise<LimitRefusal | null>
  /** The password was wrong. */
  failed(storedName?: string): Promise<LimitRefusal | null>
  /** The password was not checked (overload, store away): undoes the count of this attempt. */
  abandoned(): Promise<void>
}

export interface LimitRefusal {
  readonly ok: false
  readonly limit: keyof typeof LONGEST_WAIT_SECONDS
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
/** Few, because a pair that is evicted only loses what a success would give back. */
const MOST_MISTYPED = 10_000
/** Bounds the waits, since a clock that was set back makes a count appear to last longer. */
const LONGEST_WAIT_SECONDS = {
  'account-and-address': DAY_SECONDS,
  account: DAY_SECONDS,
  address: ADDRESS_SECONDS,
  'right-sign-ins': RIGHT_SECONDS,
}

/** The failures of an account under all its names, and of an address; null without a failure. */
interface Totals {
  readonly inAccounts: readonly (RateLimiterRes | null)[]
  readonly inNetwork: RateLimiterRes | null
}

/** The name and the keys of an attempt. */
interface Keys {
  /** As typed. */
  readonly username: string
  readonly account: string
  readonly network: string
  readonly pair: string
}

/**
 * Counts sign-ins, above all failed ones (OWASP ASVS 6.1.1, 6.3.1). README.md has the numbers. The limits of an account
 * and of an address do not apply to a pair that has signed in before, so that an attack from elsewhere does not lock
 * out the owner. An owner at a new address must wait, because the app cannot tell owner and attacker apart.
 */
export function createSignInLimits(openCounter: OpenCounter): SignInLimits {
  const admitPair = createPairLimit(openCounter)
  const totals = createTotals(openCounter)
  const rightSignIns = createRightSignIns()
  const known = openCounter('known-pair', KNOWN_ADDRESS_SECONDS)

  async function admit(username: string, address: string): Promise<Admission> {
    const account = accountKey(username)
    const network = networkOf(address)
    const keys = { username, account, network, pair: `${account}${PAIR_MARK}${network}` }
    const { pair } = keys
    const [knownPair, failures, rightOnes] = await Promise.all([
      known.get(pair),
      totals.read([account], network),
      rightSignIns.reached(account, pair),
    ])
    const isKnown = knownPair !== null
    const refusal = isKnown ? null : refusalOf(failures)
    if (refusal !== null) return refusal
    if (rightOnes !== null) return refused('right-sign-ins', rightOnes)
    const admitted = await admitPair(pair)
    if ('limit' in admitted) return admitted
    return { ok: true, attempt: attemptOf(keys, isKnown, admitted) }
  }

  function attemptOf({ username, account, network, pair }: Keys, isKnown: boolean, inPair: PairAttempt): Attempt {
    async function letIn(accounts: readonly string[]): Promise<LimitRefusal | null> {
      const [rightOnes] = await Promise.all([
        rightSignIns.count(account, pair),
        totals.forget(accounts),
        inPair.hadCount && totals.giveBack(network, pair),
        inPair.succeeded(),
        known.set(pair, 1, KNOWN_ADDRESS_SECONDS),
      ])
      return rightOnes === null ? null : refused('right-sign-ins', rightOnes)
    }
    async function deny(): Promise<null> {
      await Promise.all([rightSignIns.countDenied(pair), inPair.abandoned()])
      return null
    }
    function afterCheck(rightPassword: typeof letIn | null) {
      return async (storedName?: string): Promise<LimitRefusal | null> => {
        const stored = storedName === undefined || storedName === username ? account : accountKey(storedName)
        const accounts = stored === account ? [account] : [account, stored]
        if (isKnown && rightPassword !== null) return await rightPassword(accounts)
        const before = await totals.read(accounts, network)
        const reached = isKnown ? null : refusalOf(before)
        if (reached === null && rightPassword !== null) return await rightPassword(accounts)
        // A right password beyond the limit takes the same steps as a wrong one, so that their times tell nothing.
        const after = await totals.countFailure(accounts, network, { pair, before })
        return isKnown ? null : (refusalOf(after, 1) ?? reached)
      }
    }
    return {
      succeeded: afterCheck(letIn),
      denied: afterCheck(deny),
      failed: afterCheck(null),
      abandoned: inPair.abandoned,
    }
  }
  return { admit }
}

/** An attempt of a pair, which is counted already. */
interface PairAttempt {
  /** False if the pair had no count before: then there is nothing to give back. */
  readonly hadCount: boolean
  /** Deletes the counts of the pair. */
  succeeded(): Promise<void>
  /** Undoes the count of this attempt. */
  abandoned(): Promise<void>
}

/**
 * Limits the attempts of an account from one address. Counts before the password check, so that at most five parallel
 * guesses at one account from one address are checked.
 */
function createPairLimit(openCounter: OpenCounter): (pair: string) => Promise<LimitRefusal | PairAttempt> {
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
  return async function admitPair(pair) {
    const inPair = await pairs.penalty(pair)
    const attempts = inPair.consumedPoints
    if (attempts < FREE_FAILURES) return attemptOf(pair, attempts)
    // From the fifth attempt on, an attempt blocks the pair for the length of the delay.
    const delaySeconds = Math.min(2 ** (attempts - FREE_FAILURES), LONGEST_DELAY_SECONDS)
    const isCapped = attempts > ACCOUNT_FAILURES
    const blocking = isCapped ? inPair : await delays.penalty(pair, 1, { customDuration: delaySeconds })
    if (!isCapped && blocking.consumedPoints === 1) return attemptOf(pair, attempts)
    await pairs.giveBack(pair, 1)
    return refused('account-and-address', blocking, isCapped ? DAY_SECONDS : delaySeconds)
  }
}

/**
 * Counts the failures of accounts and of addresses. They are counted after a wrong password, because many viewers may
 * try at the same time.
 */
function createTotals(openCounter: OpenCounter) {
  const inAllAccounts = openCounter(FAILED_ACCOUNT, DAY_SECONDS)
  const addresses = openCounter('failed-address', ADDRESS_SECONDS)
  /** The failures of a pair within the count of its address. Attempts under way are not among them. */
  const mistyped = openCounter('mistyped', ADDRESS_SECONDS, MOST_MISTYPED)

  return {
    async read(accounts: readonly string[], network: string): Promise<Totals> {
      const [inNetwork, ...inAccounts] = await Promise.all([
        addresses.get(network),
        ...accounts.map((account) => inAllAccounts.get(account)),
      ])
      return { inAccounts, inNetwork }
    },
    /** @param before the counts from just before, which say how long the count of the address lasts. */
    async countFailure(
      accounts: readonly string[],
      network: string,
      { pair, before }: { readonly pair: string; readonly before: Totals },
    ): Promise<Totals> {
      // Ends before the count of the address, so that nothing is given back that another period counted.
      const customDuration = Math.floor(((before.inNetwork?.msBeforeNext ?? ADDRESS_SECONDS * 1000) - 1) / 1000)
      const [inNetwork, , ...inAccounts] = await Promise.all([
        addresses.penalty(network),
        customDuration > 0 && mistyped.penalty(pair, 1, { customDuration }),
        ...accounts.map((account) => inAllAccounts.penalty(account)),
      ])
      return { inAccounts, inNetwork }
    },
    /** Deletes the failures of an account. */
    async forget(accounts: readonly string[]): Promise<void> {
      await Promise.all(accounts.map((account) => inAllAccounts.delete(account)))
    },
    /** Subtracts the failures of the pair from the count of the address. */
    async giveBack(network: string, pair: string): Promise<void> {
      const failures = await mistyped.take(pair)
      if (failures > 0) await addresses.giveBack(network, failures)
    },
  }
}

/** Returns a refusal if a limit was reached already before the last `own` failures. */
function refusalOf({ inAccounts, inNetwork }: Totals, own = 0): LimitRefusal | null {
  const inAccount = inAccounts.find((count) => count !== null && count.consumedPoints - own >= ACCOUNT_FAILURES)
  if (inAccount) return refused('account', inAccount)
  const isNetworkAtLimit = inNetwork !== null && inNetwork.consumedPoints - own >= ADDRESS_FAILURES
  return isNetworkAtLimit ? refused('address', inNetwork) : null
}

function refused(
  limit: LimitRefusal['limit'],
  { msBeforeNext }: RateLimiterRes,
  longestSeconds = LONGEST_WAIT_SECONDS[limit],
): LimitRefusal {
  const seconds = Math.ceil(msBeforeNext / 1000)
  return { ok: false, limit, retryAfterSeconds: Math.min(Math.max(1, seconds), longestSeconds) }
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
