import { isLoopbackHost } from '../../../settings/fields.ts'

export type RedirectCheck =
  | { readonly ok: true; readonly formActionSources: readonly string[] }
  /** The end of a sentence that begins "redirect_uri"; such an address is never redirected to. */
  | { readonly ok: false; readonly reason: string }

const LONGEST_ADDRESS = 2_048
/** What we append: an address that brings one of these along could make the client believe the wrong one. */
const RESULT_PARAMETERS = new Set([
  'code',
  'state',
  'error',
  'access_token',
  'expires_in',
  'token_type',
  'mac_key',
  'created_at',
  'mac_algorithm',
])

/**
 * Whether a redirect_uri begins with the registered prefix. Compared are scheme, host, port and whole path segments, not
 * characters: "https://a.example" admits neither "https://a.example.evil" nor "https://a.example@evil", and ".../cb"
 * admits ".../cb/x" but not ".../cbevil". A loopback prefix admits any port (RFC 8252 7.3; "localhost" as well, each
 * name only for itself). A prefix with a query admits its own path alone, and queries that go on behind an "&".
 *
 * @param redirectUri as received, percent-decoded once.
 */
export function checkRedirectUri(redirectUri: string, registeredPrefix: string): RedirectCheck {
  const fault = faultIn(redirectUri)
  if (fault !== null) return { ok: false, reason: fault }
  if (!URL.canParse(registeredPrefix))
    return { ok: false, reason: 'cannot be compared: the registered prefix is broken' }
  const [address, prefix] = [new URL(redirectUri), new URL(registeredPrefix)]
  const isLoopback = prefix.protocol === 'http:' && isLoopbackHost(prefix.hostname)
  const isSameOrigin =
    address.protocol === prefix.protocol &&
    address.hostname === prefix.hostname &&
    (isLoopback || address.port === prefix.port)
  if (!isSameOrigin) return { ok: false, reason: 'has another scheme, host or port than the registered prefix' }
  if (!isBelow(address, prefix)) return { ok: false, reason: 'has a path that the registered prefix does not cover' }
  return { ok: true, formActionSources: formActionSources(address) }
}

/**
 * The address with a query appended; what it had stays byte for byte, which URLSearchParams would rewrite.
 * @param query percent-encoded, without "?".
 */
export function appendQuery(address: string, query: string): string {
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return `${address}${separator}${query}`
}

function faultIn(text: string): string | null {
  if (text.length > LONGEST_ADDRESS) return `is longer than ${LONGEST_ADDRESS} characters`
  if (!/^[\x21-\x7e]+$/.test(text)) return 'holds a space or a character outside ASCII'
  if (/["<>\\^`{|}]/.test(text)) return 'holds a character that an address cannot hold'
  if (text.includes('#')) return 'has a fragment'
  if (!URL.canParse(text)) return 'is no absolute address'
  const { protocol, username, password, pathname, searchParams } = new URL(text)
  if (!/^https?:$|\./.test(protocol)) return 'has a scheme that is not http, https or an app’s own with a dot in it'
  if (username !== '' || password !== '') return 'names a user'
  if (/%(2f|5c|00)/i.test(pathname)) return 'has an encoded slash, backslash or NUL in its path'
  const result = [...searchParams.keys()].find((name) => RESULT_PARAMETERS.has(name))
  return result === undefined ? null : `already has the parameter "${result}", which is ours to append`
}

function isBelow(address: URL, prefix: URL): boolean {
  if (prefix.search !== '') {
    const isSameQuery = address.search === prefix.search || address.search.startsWith(`${prefix.search}&`)
    return address.pathname === prefix.pathname && isSameQuery
  }
  const folder = prefix.pathname.endsWith('/') ? prefix.pathname : `${prefix.pathname}/`
  return address.pathname === prefix.pathname || address.pathname.startsWith(folder)
}

/**
 * Chromium applies form-action to every redirect that follows a post, the client's own further ones included, and has no
 * way to name an IPv6 address there. The page that leads to the client holds nothing worth posting elsewhere, so any web
 * address is admitted, and an app's own scheme where the client has one.
 */
function formActionSources({ protocol }: URL): readonly string[] {
  return [...new Set(["'self'", 'http:', 'https:', protocol])]
}
