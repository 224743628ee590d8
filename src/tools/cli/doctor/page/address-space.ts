import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** The networks of Local Network Access, from the least to the most public. */
const SPACES = ['loopback', 'local', 'public'] as const

export type AddressSpace = (typeof SPACES)[number]

/** The ranges of ipaddr.js that Chromium or Firefox takes for local. */
const LOCAL_RANGES: readonly string[] = [
  'private',
  'linkLocal',
  'carrierGradeNat',
  'uniqueLocal',
  'deprecatedSiteLocal',
]

/** An address of a host, as this machine resolves it. */
export interface HostAddress {
  /** An IP address, or a name below `local` or `localhost`. */
  readonly address: string
  readonly space: AddressSpace
}

/** Resolves the host of an address. Empty if DNS does not know the host. */
export async function hostAddresses({ hostname }: URL): Promise<readonly HostAddress[]> {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (/(^|\.)localhost$/.test(name)) return [{ address: name, space: 'loopback' }]
  // Names of multicast DNS (RFC 6762). Chromium takes them for local, also without an address.
  if (name.endsWith('.local')) return [{ address: name, space: 'local' }]
  const found = await lookup(name, { all: true }).catch(() => [])
  return found.map(({ address }) => ({ address, space: spaceOf(address) }))
}

/** Returns the first address of `to` that is less public than an address of `from`. Undefined if there is none. */
export function lessPublic(from: readonly HostAddress[], to: readonly HostAddress[]): HostAddress | undefined {
  const rank = ({ space }: HostAddress) => SPACES.indexOf(space)
  const most = Math.max(...from.map(rank))
  return to.find((one) => rank(one) < most)
}

function spaceOf(address: string): AddressSpace {
  const range = ipaddr.process(address).range()
  if (range === 'loopback') return 'loopback'
  return LOCAL_RANGES.includes(range) ? 'local' : 'public'
}
