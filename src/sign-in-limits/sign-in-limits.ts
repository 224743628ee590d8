import { createHash } from 'node:crypto'
import { createFailureTotals } from './failure-totals.ts'
import { accountKey, networkOf, pairKey } from './keys.ts'
import { DAY_SECONDS, type LimitRefusal, refused } from './limit-refusal.ts'
import type { OpenCounter } from './memory-counters.ts'
import { createPairLimit, type PairAttempt } from './pair-limit.ts'
import { type AddressLimit, DEFAULT_ADDRESS_LIMIT, isInNetworks } from './settings.ts'
import { createSuccessfulSignIns } from './successful-sign-ins.ts'

/**
 * An admitted attempt. Call exactly one of these functions after the password check. If one returns a refusal, answer
 * with it instead of the outcome: at a limit, right and wrong passwords get the same answer after the same steps.
 * `storedName` is the name of the account in the user store, if the viewer typed another name of the same account.
 */
export interface Attempt {
  /** The password was right: deletes this viewer's failures at this address, also in the count of the address. */
  succeeded(storedName?: string): Promise<LimitRefusal | null>
  /**
   * The password was right, but the viewer is disabled, or the password expired: undoes the count of this attempt only.
   * Earlier failures stay, because a user store may answer "disabled" to any password.
   */
  denied(storedName?: string): Promise<LimitRefusal | null>
  /** The password was wrong. */
  failed(storedName?: string): Promise<LimitRefusal | null>
  /** The password was not checked (overload, store away): undoes the count of this attempt. */
  abandoned(): Promise<void>
}

/** `failed` counts a wrong secret. If it returns a refusal, answer with it, as after a wrong password. */
export type GuessAdmission = { readonly ok: true; failed(): Promise<LimitRefusal | null> } | LimitRefusal

export type Admission = { readonly ok: true; readonly attempt: Attempt } | LimitRefusal

export type SignInLimits = ReturnType<typeof createSignInLimits>

/** A form that comes later is another sign-in. */
const AGAIN_SECONDS = 10
/** Below the longest timer (24.8 days) of the memory counters. */
const KNOWN_ADDRESS_SECONDS = 14 * DAY_SECONDS

/** The name as typed, and the keys of an attempt. `network` is null if the address has no limit. */
type Keys = ReturnType<typeof keysOf>

/**
 * Counts sign-ins, above all failed ones (OWASP ASVS 6.1.1, 6.3.1). README.md has the numbers. The limits of an account
 * and of an address do not apply to a pair that has signed in before, so that an attack from elsewhere does not lock
 * out the owner. An owner at a new address must wait, because the app cannot tell owner and attacker apart.
 */
export function createSignInLimits(openCounter: OpenCounter, addressLimit: AddressLimit = DEFAULT_ADDRESS_LIMIT) {
  const pairs = createPairLimit(openCounter)
  const totals = createFailureTotals(openCounter, addressLimit.failures)
  const successfulSignIns = createSuccessfulSignIns()
  const known = openCounter('known-pair', KNOWN_ADDRESS_SECONDS)
  const forms = openCounter('signed-in-form', AGAIN_SECONDS)

  /** Counts an attempt and checks the limits. Call before the password check. */
  async function admit(username: string, address: string): Promise<Admission> {
    const { account, network, pair } = keysOf(username, address, addressLimit)
    const [knownPair, failures, successes] = await Promise.all([
      known.get(pair),
      totals.read([account], network),
      successfulSignIns.reached(account, pair),
    ])
    const isKnown = knownPair !== null
    const refusal = isKnown ? null : totals.refusalOf(failures)
    if (refusal !== null) return refusal
    if (successes !== null) return refused('right-sign-ins', successes)
    const admitted = await pairs.admit(pair)
    if ('limit' in admitted) return admitted
    return { ok: true, attempt: attemptOf({ username, account, network, pair }, isKnown, admitted) }
  }

  function attemptOf({ username, account, network, pair }: Keys, isKnown: boolean, inPair: PairAttempt): Attempt {
    async function succeed(accounts: readonly string[]): Promise<LimitRefusal | null> {
      const [successes] = await Promise.all([
        successfulSignIns.count(account, pair),
        totals.forget(accounts),
        network !== null && inPair.hadCount && totals.giveBack(network, pair),
        inPair.succeeded(),
        known.set(pair, 1, KNOWN_ADDRESS_SECONDS),
      ])
      return successes === null ? null : refused('right-sign-ins', successes)
    }
    async function deny(): Promise<null> {
      await Promise.all([successfulSignIns.countDenied(pair), inPair.abandoned()])
      return null
    }
    /** @param onRightPassword null if the password was wrong. */
    function afterCheck(onRightPassword: typeof succeed | null) {
      return async (storedName?: string): Promise<LimitRefusal | null> => {
        const stored = storedName === undefined || storedName === username ? account : accountKey(storedName)
        const accounts = stored === account ? [account] : [account, stored]
        if (isKnown && onRightPassword !== null) return await onRightPassword(accounts)
        const before = await totals.read(accounts, network)
        const reached = totals.refusalOf(before)
        if (reached === null && onRightPassword !== null) return await onRightPassword(accounts)
        // A right password beyond the limit takes the same steps as a wrong one, so that their times tell nothing.
        const after = await totals.countFailure(accounts, network, { pair, before })
        return isKnown ? null : (totals.refusalOf(after, 1) ?? reached)
      }
    }
    return {
      succeeded: afterCheck(succeed),
      denied: afterCheck(deny),
      failed: afterCheck(null),
      abandoned: inPair.abandoned,
    }
  }
  /**
   * Deletes the failures of an account, and of the account at this address. Call after its owner has set a new password
   * by a link. Delays at other addresses stay.
   */
  async function forgive(username: string, address: string): Promise<void> {
    const { account, pair } = keysOf(username, address, addressLimit)
    await Promise.all([totals.forget([account]), pairs.forget(pair)])
  }
  /** True if this form has signed in within ten seconds, at any copy of the app that shares the counts. */
  async function isAgain(form: string): Promise<boolean> {
    // The counts may be in a file: a reader must not learn a form.
    const digest = createHash('sha256').update(form).digest('base64url')
    return (await forms.penalty(digest)).consumedPoints > 1
  }
  return { admit, admitGuess: guessesWithin(totals, addressLimit), forgive, isAgain }
}

/** Checks the limit of an address, for a secret that belongs to no account until it is right, such as a code. */
function guessesWithin(totals: ReturnType<typeof createFailureTotals>, addressLimit: AddressLimit) {
  return async (address: string): Promise<GuessAdmission> => {
    const { network, pair } = keysOf('', address, addressLimit)
    const before = await totals.read([], network)
    const failed = async () => totals.refusalOf(await totals.countFailure([], network, { pair, before }), 1)
    return totals.refusalOf(before) ?? { ok: true, failed }
  }
}

function keysOf(username: string, address: string, { trustedNetworks }: AddressLimit) {
  const account = accountKey(username)
  const network = networkOf(address)
  const isTrusted = isInNetworks(trustedNetworks, address)
  return { username, account, network: isTrusted ? null : network, pair: pairKey(account, network) }
}
