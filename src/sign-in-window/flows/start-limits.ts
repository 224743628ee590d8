import type { OpenCounter } from '../../sign-in-limits/memory-counters.ts'

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
  /** Counts a typed code. Returns the seconds until the next try; null if the code may be checked. */
  countCode(network: string): Promise<number | null>
  /** Called after a right code, which counts no longer: many viewers may share a network. */
  giveBackCode(network: string): Promise<void>
}

export function createStartLimits(
  openCounter: OpenCounter,
  most = STARTS_PER_NETWORK,
  inAll = STARTS_IN_ALL,
): StartLimits {
  const starts = openCounter('sso-starts', TEN_MINUTES_SECONDS)
  const codes = openCounter('sso-codes', TEN_MINUTES_SECONDS)
  return {
    async count(network) {
      const [ofNetwork, ofAll] = await Promise.all([starts.penalty(network), starts.penalty(ALL)])
      const reached = ofNetwork.consumedPoints > most ? ofNetwork : ofAll.consumedPoints > inAll ? ofAll : null
      if (reached === null) return null
      await Promise.all([starts.giveBack(network, 1), starts.giveBack(ALL, 1)])
      return secondsLeft(reached)
    },
    async countCode(network) {
      const count = await codes.penalty(network)
      return count.consumedPoints > CODES_PER_NETWORK ? secondsLeft(count) : null
    },
    giveBackCode: (network) => codes.giveBack(network, 1),
    async giveBack(network) {
      await Promise.all([starts.giveBack(network, 1), starts.giveBack(ALL, 1)])
    },
  }
}

function secondsLeft({ msBeforeNext }: { readonly msBeforeNext: number }): number {
  return Math.min(Math.max(1, Math.ceil(msBeforeNext / 1000)), TEN_MINUTES_SECONDS)
}
