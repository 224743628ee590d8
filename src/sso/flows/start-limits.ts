import type { OpenCounter } from '../../sign-in-limits/memory-counters.ts'

const TEN_MINUTES_SECONDS = 600
/** A whole company may be behind one address, and all its people may begin in the same minute. */
const STARTS_PER_NETWORK = 3_000
const STARTS_IN_ALL = 50_000
const ALL = 'all'

/** Limits the sign-ins that are begun and not ended, because each one takes memory for ten minutes. */
export interface StartLimits {
  /** Returns the seconds until the next try; null if the sign-in may begin. */
  count(network: string): Promise<number | null>
  /** Called when the provider sends the viewer back: this sign-in counts no longer. */
  giveBack(network: string): Promise<void>
}

export function createStartLimits(
  openCounter: OpenCounter,
  most = STARTS_PER_NETWORK,
  inAll = STARTS_IN_ALL,
): StartLimits {
  const starts = openCounter('sso-starts', TEN_MINUTES_SECONDS)
  return {
    async count(network) {
      const [ofNetwork, ofAll] = await Promise.all([starts.penalty(network), starts.penalty(ALL)])
      const reached = ofNetwork.consumedPoints > most ? ofNetwork : ofAll.consumedPoints > inAll ? ofAll : null
      if (reached === null) return null
      await Promise.all([starts.giveBack(network, 1), starts.giveBack(ALL, 1)])
      return Math.min(Math.max(1, Math.ceil(reached.msBeforeNext / 1000)), TEN_MINUTES_SECONDS)
    },
    async giveBack(network) {
      await Promise.all([starts.giveBack(network, 1), starts.giveBack(ALL, 1)])
    },
  }
}
