import { isLoopbackHost } from '../../../../settings/fields.ts'

export type RedirectCheck =
  | { readonly ok: true }
  /** A phrase that follows "redirect_uri". Never redirect to such an address. */
  | { readonly ok: false; readonly reason: string }

const MAX_ADDRESS_LENGTH = 2_048
/** Parameters that we append. An address that already has one could make the client read the wrong value. */
const RESULT_PARAMETERS = new Set(
  'code state error access_token expires_in token_type mac_key created_at mac_algorithm'.split(' '),
)

/**
 * Checks that a redirect_uri starts with the registered prefix. Compares scheme, host, port and whole path segments,
 * not characters: "https://a.example" does not match "https://a.example.evil" or "https://a.example@evil", and "/cb"
 * matches "/cb/x" but not "/cbevil". A loopback prefix matches every port (RFC 8252 7.3), but only its own host name. A
 * prefix with a query matches only its own path; the query may continue after "&".
 *
 * @param redirectUri as received, percent-decoded once.
 */
export function checkRedirectUri(redirectUri: string, registeredPrefix: string): RedirectCheck {
  const fault = faultIn(redirectUri)
  if (fault !== null) return { ok: false, reason: fault }
  if (!URL.canParse(registeredPrefix))
    return { ok: false, reason: 'cannot be compared, because the registered prefix is not an address' }
  const address = new URL(redirectUri)
  const prefix = new URL(registeredPrefix)
  const isLoopback = prefix.protocol === 'http:' && isLoopbackHost(prefix.hostname)
  const isSameOrigin =
    address.protocol === prefix.protocol &&
    address.hostname === prefix.hostname &&
    (isLoopback || address.port === prefix.port)
  if (!isSameOrigin) return { ok: false, reason: 'has another scheme, host or port than the registered prefix' }
  if (!isBelow(address, prefix)) return { ok: false, reason: 'has a path outside the registered prefix' }
  return { ok: true }
}

/**
 * Checks that a redirect_uri starts with one of the registered prefixes, as `checkRedirectUri` does.
 * @returns also whether it starts with a prefix character by character.
 */
export function matchRedirectUri(
  redirectUri: string,
  registeredPrefixes: readonly string[],
): RedirectCheck & { readonly isLiteral: boolean } {
  const checks = registeredPrefixes.map((prefix) => {
    return { ...checkRedirectUri(redirectUri, prefix), isLiteral: redirectUri.startsWith(prefix) }
  })
  const matching = checks.filter(({ ok }) => ok)
  const best = matching.find(({ isLiteral }) => isLiteral) ?? matching[0]
  if (best !== undefined) return best
  const [first, ...others] = checks
  if (first !== undefined && others.length === 0) return first
  const reason = faultIn(redirectUri) ?? `matches none of the ${checks.length} registered prefixes`
  return { ok: false, reason, isLiteral: false }
}

/**
 * Appends a query and keeps the rest of the address byte for byte; URLSearchParams would rewrite it.
 * @param query percent-encoded, without "?".
 */
export function appendQuery(address: string, query: string): string {
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return `${address}${separator}${query}`
}

function faultIn(text: string): string | null {
  if (text.length > MAX_ADDRESS_LENGTH) return `is longer than ${MAX_ADDRESS_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(text)) return 'has a space or a character outside ASCII'
  if (/["<>\\^`{|}]/.test(text)) return 'has a character that is not allowed in an address'
  if (text.includes('#')) return 'has a fragment'
  if (!URL.canParse(text)) return 'is not an absolute address'
  const { protocol, username, password, pathname, searchParams } = new URL(text)
  if (!/^https?:$|\./.test(protocol)) return 'must have the scheme http, https or an app’s own scheme with a dot'
  if (username !== '' || password !== '') return 'has a user name'
  if (/%(2f|5c|00)/i.test(pathname)) return 'has an encoded slash, backslash or NUL in its path'
  const result = [...searchParams.keys()].find((name) => RESULT_PARAMETERS.has(name))
  return result === undefined ? null : `already has the parameter "${result}", which the service appends`
}

function isBelow(address: URL, prefix: URL): boolean {
  if (prefix.search !== '') {
    const isSameQuery = address.search === prefix.search || address.search.startsWith(`${prefix.search}&`)
    return address.pathname === prefix.pathname && isSameQuery
  }
  const folder = prefix.pathname.endsWith('/') ? prefix.pathname : `${prefix.pathname}/`
  return address.pathname === prefix.pathname || address.pathname.startsWith(folder)
}
