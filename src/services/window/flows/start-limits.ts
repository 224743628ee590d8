import { mostBegun } from '../../../sign-in-limits/capacity.ts'
import { siteOf } from '../../../sign-in-limits/keys.ts'
import { secondsLeft, TEN_MINUTES_SECONDS } from '../../../sign-in-limits/limit-refusal.ts'
import type { Counter, OpenCounter } from '../../../sign-in-limits/memory-counters.ts'
import { DEFAULT_ADDRESS_LIMIT, isInNetworks, type Network } from '../../../sign-in-limits/settings.ts'

const STARTS_IN_ALL = 50_000
const CODES_PER_NETWORK = 100
/** With 1,000 codes open, one guess in 10^9 hits: all guesses of ten minutes hit once in 10^5 times. */
const CODES_IN_ALL = 10_000
const ALL = 'all'

interface Limit {
  readonly key: string
  readonly most: number
}

/**
 * Limits the sign-ins that are begun and have not succeeded: each takes memory for ten minutes, and its callback asks the
 * provider.
 */
export type StartLimits = ReturnType<typeof createStartLimits>

export interface StartLimitOptions {
  /** Their starts count only in the limit of all networks. The limit on codes holds there too. Default: none. */
  readonly trustedNetworks?: readonly Network[]
  /** The failures of one address in ten minutes: more allow more starts. */
  readonly failures?: number
  readonly perNetwork?: number
  readonly inAll?: number
  readonly codesInAll?: number
}

export function createStartLimits(openCounter: OpenCounter, options: StartLimitOptions = {}) {
  const { trustedNetworks = [], failures = DEFAULT_ADDRESS_LIMIT.failures, inAll = STARTS_IN_ALL } = options
  const { perNetwork = mostBegun({ failures }) } = options
  const { codesInAll = CODES_IN_ALL } = options
  const starts = openCounter('sso-starts', TEN_MINUTES_SECONDS)
  const codes = openCounter('sso-codes', TEN_MINUTES_SECONDS)
  const startsOf = (network: string): readonly Limit[] => {
    const isTrusted = isInNetworks(trustedNetworks, firstAddressOf(network))
    return [...(isTrusted ? [] : [{ key: siteOf(network), most: perNetwork }]), { key: ALL, most: inAll }]
  }
  const codesOf = (network: string): readonly Limit[] => [
    { key: siteOf(network), most: CODES_PER_NETWORK },
    { key: ALL, most: codesInAll },
  ]
  return {
    /** Returns the seconds until the next try; null if the sign-in may begin. */
    count: (network: string) => countAll(starts, startsOf(network)),
    /** Called when the viewer is signed in: this sign-in counts no longer. */
    giveBack: (network: string) => giveBackAll(starts, startsOf(network)),
    /** Returns the sign-ins that were begun within ten minutes and have not succeeded, in all copies that share a store. */
    countOpen: async () => (await starts.get(ALL))?.consumedPoints ?? 0,
    /** Counts a typed code. Returns the seconds until the next try; null if the code may be checked. */
    countCode: (network: string) => countAll(codes, codesOf(network)),
    /** Called after a right code, which counts no longer: many viewers may share a network. */
    giveBackCode: (network: string) => giveBackAll(codes, codesOf(network)),
  }
}

/** The network of an IPv6 address is its first half (`networkOf()`). */
function firstAddressOf(network: string): string {
  return network.includes(':') ? `${network}::` : network
}

/** Counts for all keys at once. Returns the seconds until the next try, and counts nothing, if a limit is reached. */
async function countAll(counter: Counter, limits: readonly Limit[]): Promise<number | null> {
  const counted = limits.map(async ({ key, most }) => ({ count: await counter.penalty(key), most }))
  const reached = (await Promise.all(counted)).find(({ count, most }) => count.consumedPoints > most)
  if (reached === undefined) return null
  await giveBackAll(counter, limits)
  return secondsLeft(reached.count)
}

async function giveBackAll(counter: Counter, limits: readonly Limit[]): Promise<void> {
  await Promise.all(limits.map(({ key }) => counter.giveBack(key, 1)))
}
