import { domainToASCII } from 'node:url'
import { cleanName } from '../../typed-text.ts'

/** RFC 5321, 4.5.3.1, and the erratum 1690 of RFC 3696. */
const LONGEST_ADDRESS = 254
const LONGEST_LOCAL_PART = 64
const LONGEST_DOMAIN = 253
/** Longer than any address as typed: with a domain in letters of other scripts, and spaces around. */
const LONGEST_INPUT = 400
/** A dot-atom of RFC 5322, in ASCII: no quotes, comments, groups or lists. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
/** Letters and full stops of all scripts. The platform turns them into ASCII, or refuses them. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.。．｡-]+$/u
const LABELS = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/

/**
 * Parses the address of one mailbox. Every feature with guests uses this function alone, so that one address is one guest.
 * - The domain is in lower case and ASCII (IDNA): letters that only look like others give another `xn--…` domain.
 * - The local part is compared without case, and is in lower case. Plus-addresses and dots stay: they are other addresses.
 * - What surrounds a pasted address goes: hidden characters, `mailto:`, `Ada <…>`, a comma behind it.
 * - Refused: quoted local parts, comments, lists, control characters, and local parts that are not ASCII.
 * @returns the canonical address, with which mails are sent too; null for anything else.
 */
export function parseMailAddress(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > LONGEST_INPUT) return null
  const trimmed = cleanName(text)
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, at)
  const domain = parseDomain(trimmed.slice(at + 1))
  if (at < 1 || local.length > LONGEST_LOCAL_PART || !LOCAL_PART.test(local) || domain === null) return null
  const address = `${local.toLowerCase()}@${domain}`
  return address.length > LONGEST_ADDRESS ? null : address
}

/** An item of a list of guests: one address, or all addresses of a domain. */
export type MailPattern = { readonly address: string } | { readonly domain: string }

/** Parses `ada@example.com` or `*@example.com`. Domains below this domain do not match. Null for anything else. */
export function parseMailPattern(text: string): MailPattern | null {
  const domain = /^\*@(.*)$/s.exec(cleanName(text.slice(0, LONGEST_INPUT)))?.[1]
  if (domain !== undefined) {
    const parsed = parseDomain(domain)
    return parsed === null ? null : { domain: parsed }
  }
  const address = parseMailAddress(text)
  return address === null ? null : { address }
}

/** Returns the domain of a canonical address. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

function parseDomain(text: string): string | null {
  if (text.length > LONGEST_INPUT || !DOMAIN.test(text)) return null
  const domain = domainToASCII(text)
  return domain.length <= LONGEST_DOMAIN && LABELS.test(domain) ? domain : null
}
