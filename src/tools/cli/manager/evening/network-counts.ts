import { networkOf } from '../../../../sign-in-limits/keys.ts'
import type { SecurityEvent } from '../../security-log/security-events.ts'

const MINUTE_MS = 60_000
/** The period of the limit of an address. */
const RECENT_MINUTES = 10
const MOST_NETWORKS = 5_000
const MOST_VIEWERS = 1_000

/** A network with failed sign-ins. */
export interface Network {
  readonly network: string
  /** One address of it. */
  readonly address: string
  readonly failures: number
  readonly viewers: number
}

interface NetworkCount {
  readonly address: string
  readonly byMinute: Map<number, number>
  readonly viewers: Set<string>
}

/** Counts failed guesses by network, of the last ten minutes. */
export function createNetworkCounts(nowMs: () => number) {
  const networks = new Map<string, NetworkCount>()
  return {
    add({ outcome, address, viewer, count }: SecurityEvent, atMs: number): void {
      if (address === null || (outcome !== 'wrong-credentials' && outcome !== 'held-back')) return
      const network = networkOf(address)
      const known = networks.get(network) ?? { address, byMinute: new Map(), viewers: new Set() }
      // The network with the latest failure is the last.
      networks.delete(network)
      networks.set(network, known)
      const minute = Math.floor(atMs / MINUTE_MS)
      known.byMinute.set(minute, (known.byMinute.get(minute) ?? 0) + count)
      if (viewer !== null && known.viewers.size < MOST_VIEWERS) known.viewers.add(viewer)
      if (networks.size > MOST_NETWORKS) networks.delete(networks.keys().next().value ?? '')
    },
    /** Returns the networks with at least `fewest` failures, the worst first. */
    networks(fewest: number): Network[] {
      const since = Math.floor(nowMs() / MINUTE_MS) - RECENT_MINUTES
      const found = [...networks].map(([network, { address, byMinute, viewers }]) => {
        for (const minute of byMinute.keys()) if (minute < since) byMinute.delete(minute)
        if (byMinute.size === 0) networks.delete(network)
        const failures = [...byMinute.values()].reduce((total, count) => total + count, 0)
        return { network, address, failures, viewers: viewers.size }
      })
      return found.filter(({ failures }) => failures >= fewest).toSorted((one, other) => other.failures - one.failures)
    },
  }
}
