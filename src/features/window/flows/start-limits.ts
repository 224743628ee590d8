import type { OpenCounter } from '../../../sign-in-limits/memory-counters.ts'
import { isInNetworks, type Network } from '../../../sign-in-limits/settings.ts'

const TEN_MINUTES_SECONDS = 600
/** A whole company may be behind one address, and all its people may begin in the same minute. */
const STARTS_PER_NETWORK = 3_000
const STARTS_IN_ALL = 50_000
/** With 1,000 codes open, one guess in 10^9 hits. */
const CODES_PER_NETWORK = 100
const ALL = 'all'

/**
 * Limits the sign-ins that are begun and have not succeeded: each takes memory for ten minutes, and its callback asks the
 * provider.
 */
export interface StartLimits {
  /** Returns the seconds until the next try; null if the sign-in may begin. */
  count(network: string): Promise<number | null>
  /** Called when the viewer is signed in: this sign-in counts no longer. */
  giveBack(network: string): Promise<void>
  /** Returns the sign-ins that were begun within ten minutes and have not succeeded, in all copies that share a store. */
  countOpen(): Promise<number>
  /** Counts a typed code. Returns the seconds until the next try; null if the code may be checked. */
  countCode(network: string): Promise<number | null>
  /** Called after a right code, which counts no longer: many viewers may share a network. */
  giveBackCode(network: string): Promise<void>
}

export interface StartLimitOptions {
  /** Their starts count only in the limit of all networks. The limit on codes holds there too. Default: none. */
  readonly trustedNetworks?: readonly Network[]
  readonly perNetwork?: number
  readonly inAll?: number
}

export function createStartLimits(
  openCounter: OpenCounter,
  { trustedNetworks = [], perNetwork = STARTS_PER_NETWORK, inAll = STARTS_IN_ALL }: StartLimitOptions = {},
): StartLimits {
  const starts = openCounter('sso-starts', TEN_MINUTES_SECONDS)
  const codes = openCounter('sso-codes', TEN_MINUTES_SECONDS)
  const limitsOf = (network: string) => {
    const isTrusted = isInNetworks(trustedNetworks, firstAddressOf(network))
    return [...(isTrusted ? [] : [{ key: siteOf(network), most: perNetwork }]), { key: ALL, most: inAll }]
  }
  async function giveBack(network: string): Promise<void> {
    await Promise.all(limitsOf(network).map(({ key }) => starts.giveBack(key, 1)))
  }
  return {
    async count(network) {
      const counted = limitsOf(network).map(async ({ key, most }) => ({ count: await starts.penalty(key), most }))
      const reached = (await Promise.all(counted)).find(({ count, most }) => count.consumedPoints > most)
      if (reached === undefined) return null
      await giveBack(network)
      return secondsLeft(reached.count)
    },
    countOpen: async () => (await starts.get(ALL))?.consumedPoints ?? 0,
    async countCode(network) {
      const count = await codes.penalty(network)
      return count.consumedPoints > CODES_PER_NETWORK ? secondsLeft(count) : null
    },
    giveBackCode: (network) => codes.giveBack(network, 1),
    giveBack,
  }
}

/** The network of an IPv6 address is its first half (`networkOf()`). */
function firstAddressOf(network: string): string {
  return network.includes(':') ? `${network}::` : network
}

/**
 * Returns the /48 of an IPv6 network, which providers give to one site. With a limit for each /64, one household could use
 * up the limit of all networks.
 */
function siteOf(network: string): string {
  return network.split(':').slice(0, 3).join(':')
}

function secondsLeft({ msBeforeNext }: { readonly msBeforeNext: number }): number {
  return Math.min(Math.max(1, Math.ceil(msBeforeNext / 1000)), TEN_MINUTES_SECONDS)
}
