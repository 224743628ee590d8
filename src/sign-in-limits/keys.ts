import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'

/** Returns the beginning of the keys of all pairs of an account, before their addresses. No account key contains "@". */
export function pairPrefix(account: string): string {
  return `${account}@`
}

/** Returns the key of an account at one address. */
export function pairKey(account: string, network: string): string {
  return `${pairPrefix(account)}${network}`
}

/**
 * Returns one key, of a fixed length, for all spellings that a user store may treat as the same account; otherwise each
 * spelling would have its own attempts. Some stores ignore case, accents, soft hyphens and zero-width characters.
 */
export function accountKey(username: string): string {
  const spelling = username
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
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

/**
 * Returns the address, or for IPv6 its /48, which providers give to one site: with a limit for each /64, one household
 * could use up the limit of all networks.
 * @param network an address, or a result of `networkOf()`.
 */
export function siteOf(network: string): string {
  return networkOf(network).split(':').slice(0, 3).join(':')
}
