import type { FailedSignIns, UnlockResult, UnlockTarget } from '../../sign-in-limits/failed-sign-ins.ts'
import { ACCOUNT_FAILURES, FAILED_ACCOUNT, FAILED_ADDRESS } from '../../sign-in-limits/failure-totals.ts'
import { accountKey, networkOf, pairKey, pairPrefix } from '../../sign-in-limits/keys.ts'
import { DAY_SECONDS } from '../../sign-in-limits/limit-refusal.ts'
import type { OpenCounter } from '../../sign-in-limits/memory-counters.ts'
import { DELAY, FAILED_PAIR, LONGEST_DELAY_SECONDS } from '../../sign-in-limits/pair-limit.ts'

/** The counts of a store for a command. Each function throws an error if the store is away. */
export interface CountsInStore {
  readonly openCounter: OpenCounter
  /** Returns the keys of a counter that begin with the prefix. */
  keys(name: string, prefix: string): Promise<Iterable<string>>
}

/** Deletes failed sign-ins, of an account from all addresses. Addresses where it signed in before stay known. */
export async function unlock(
  { openCounter, keys }: CountsInStore,
  { username, address }: UnlockTarget,
): Promise<UnlockResult> {
  async function remove(name: string, found: Iterable<string>): Promise<boolean> {
    const counter = openCounter(name, DAY_SECONDS)
    return (await Promise.all([...found].map((key) => counter.delete(key)))).includes(true)
  }
  const account = username === undefined ? null : accountKey(username)
  const removed = await Promise.all([
    account !== null && remove(FAILED_ACCOUNT, [account]),
    ...[FAILED_PAIR, DELAY].map(
      async (name) => account !== null && (await remove(name, await keys(name, pairPrefix(account)))),
    ),
  ])
  const isFree = address !== undefined && (await remove(FAILED_ADDRESS, [networkOf(address)]))
  return { viewer: removed.includes(true), address: isFree }
}

/** Reads the failed sign-ins of a viewer. */
export async function failuresIn({ openCounter, keys }: CountsInStore, username: string): Promise<FailedSignIns> {
  const account = accountKey(username)
  const prefix = pairPrefix(account)
  const inPairs = openCounter(FAILED_PAIR, DAY_SECONDS)
  const delays = openCounter(DELAY, LONGEST_DELAY_SECONDS)
  const networks = new Set([...(await keys(FAILED_PAIR, prefix))].map((key) => key.slice(prefix.length)))
  const addresses = await Promise.all(
    [...networks].toSorted().map(async (address) => {
      const pair = pairKey(account, address)
      const [inPair, delay] = await Promise.all([inPairs.get(pair), delays.get(pair)])
      const count = inPair?.consumedPoints ?? 0
      return { address, count, waitSeconds: secondsOf(count >= ACCOUNT_FAILURES ? inPair : delay) }
    }),
  )
  const inAccount = await openCounter(FAILED_ACCOUNT, DAY_SECONDS).get(account)
  const count = inAccount?.consumedPoints ?? 0
  return { count, lockedSeconds: count >= ACCOUNT_FAILURES ? secondsOf(inAccount) : 0, addresses }
}

function secondsOf(count: { readonly msBeforeNext: number } | null): number {
  return Math.max(0, Math.ceil((count?.msBeforeNext ?? 0) / 1000))
}
