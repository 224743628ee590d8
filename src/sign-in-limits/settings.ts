import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { listField, wholeNumber } from '../settings/fields.ts'

/** A network: its first address, and the number of bits that all its addresses share. */
export type Network = readonly [first: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number]

/** The limit on failed sign-ins from one address. */
export interface AddressLimit {
  /** In ten minutes. */
  readonly failures: number
  /** Their addresses have no limit of their own. The limits of accounts hold there too. */
  readonly trustedNetworks: readonly Network[]
}

/** High, because the viewers of a company share one address. A success subtracts the viewer's own failures. */
export const DEFAULT_ADDRESS_LIMIT: AddressLimit = { failures: 300, trustedNetworks: [] }

/** Addresses and networks. */
export const NetworkList = listField(null, parseNetwork).default([])

/** The settings of the limits by address. */
export const AddressLimitEnvironment = z
  .object({
    SIGN_IN_LIMIT_PER_ADDRESS: wholeNumber(10, 1_000_000).default(DEFAULT_ADDRESS_LIMIT.failures),
    LIMITS_TRUSTED_NETWORKS: NetworkList,
  })
  .transform((given): AddressLimit => {
    return { failures: given.SIGN_IN_LIMIT_PER_ADDRESS, trustedNetworks: given.LIMITS_TRUSTED_NETWORKS }
  })

/** @throws RangeError with the end of a sentence. */
function parseNetwork(text: string): Network {
  const cidr = text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`
  // The second form only: ipaddr.js also reads "10.1" and "0x0a000001", which are rarely what was meant.
  const isAddress = /^\d+(\.\d+){3}\/\d+$/.test(cidr) || /^[\da-f.]*:[\da-f:.]*\/\d+$/i.test(cidr)
  if (!isAddress || !ipaddr.isValidCIDR(cidr)) {
    throw new RangeError('must be an address or a network, such as 192.0.2.7, 198.51.100.0/24 or 2001:db8::/32')
  }
  const [address, prefixBits] = ipaddr.parseCIDR(cidr)
  if (prefixBits === 0) throw new RangeError('contains every address: name smaller networks')
  if (address.range() === 'ipv4Mapped') throw new RangeError('is IPv4 inside IPv6: write it as IPv4')
  const first = (address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(cidr)
  if (first.toString() !== address.toString()) {
    throw new RangeError(`does not begin its network: write ${first.toString()}/${prefixBits}, or the address alone`)
  }
  return [first, prefixBits]
}

/** True if the address is in one of the networks. An IPv4 address inside IPv6 counts as IPv4. */
export function isInNetworks(networks: readonly Network[], address: string): boolean {
  if (networks.length === 0 || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return networks.some(([first, prefixBits]) => first.kind() === parsed.kind() && parsed.match(first, prefixBits))
}
