/** Where the authentication response goes. Only the two functions that check an address make one. */
export interface ReturnAddress {
  /** Without `hash`; its query is kept byte for byte. */
  readonly url: string
  /** Scheme, host and port, as Content-Security-Policy's `form-action` wants it. */
  readonly origin: string
}

/** An entry of the allow-list: an exact origin, and a path prefix that begins and ends with "/". */
export interface AllowedConsumer {
  readonly origin: string
  readonly pathPrefix: string
}

export type ReturnDecision =
  | { readonly ok: true; readonly address: ReturnAddress }
  | { readonly ok: false; readonly reason: string }

const LONGEST_ADDRESS = 2048

/**
 * Decides where the response goes: to `hashConsumer` when the caller gave one and it is on the allow-list, else to the
 * player. Nothing but this function turns what a browser sent into an address (specification: "Returning the
 * authentication response to the player"; OWASP: Unvalidated Redirects and Forwards Cheat Sheet).
 *
 * @param hashConsumer as received, percent-decoded once; undefined when absent. An empty text is refused, not ignored.
 * @returns for a refusal the end of a sentence that begins "hashConsumer"; never to be redirected to in any form.
 */
export function decideReturnAddress(
  hashConsumer: string | undefined,
  playerAddress: ReturnAddress,
  allowed: readonly AllowedConsumer[],
): ReturnDecision {
  if (hashConsumer === undefined) return { ok: true, address: playerAddress }
  const parsed = parseReturnAddress(hashConsumer)
  if (typeof parsed === 'string') return { ok: false, reason: parsed }
  if (hashConsumer.includes('#')) return { ok: false, reason: 'has a fragment' }
  const isAllowed = allowed.some(
    ({ origin, pathPrefix }) => parsed.origin === origin && parsed.pathname.startsWith(pathPrefix),
  )
  if (!isAllowed) return { ok: false, reason: 'is not on the list of allowed addresses' }
  return { ok: true, address: { url: normalised(parsed, hashConsumer), origin: parsed.origin } }
}

/**
 * The player's return address, from the settings. A fragment is allowed and stays behind `hash`.
 * @throws RangeError with the end of a sentence that begins with the setting's name.
 */
export function parsePlayerAddress(text: string): ReturnAddress {
  const parsed = parseReturnAddress(text)
  if (typeof parsed === 'string') throw new RangeError(parsed)
  return { url: text, origin: parsed.origin }
}

/**
 * An entry of the allow-list, from the settings. The service is shared by many customers, so an origin alone would let
 * another customer's page collect our viewers' responses: the prefix must name a path and end with "/".
 * @throws RangeError with the end of a sentence that begins with the entry.
 */
export function parseAllowedConsumer(text: string): AllowedConsumer {
  const parsed = parseReturnAddress(text)
  if (typeof parsed === 'string') throw new RangeError(parsed)
  if (/[?#]/.test(text)) throw new RangeError('must have neither a query nor a fragment')
  if (!text.endsWith('/')) throw new RangeError('must end with "/"')
  if (/^\/+$/.test(parsed.pathname)) throw new RangeError('must name a path behind the host, not the whole origin')
  return { origin: parsed.origin, pathPrefix: parsed.pathname }
}

/**
 * The address with `hash` appended to its query, percent-encoded, before any fragment. By string, since URLSearchParams
 * would rewrite the other parameters ("%20" to "+", "~" to "%7E").
 * @param hash the authentication response, or "false" for a failed authentication.
 */
export function appendHash(address: ReturnAddress, hash: string): string {
  const at = address.url.indexOf('#')
  const beforeFragment = at === -1 ? address.url : address.url.slice(0, at)
  const fragment = at === -1 ? '' : address.url.slice(at)
  const query = /\?(.*)$/.exec(beforeFragment)?.[1]
  const separator = query === undefined ? '?' : query === '' || query.endsWith('&') ? '' : '&'
  return `${beforeFragment}${separator}hash=${encodeURIComponent(hash)}${fragment}`
}

/** The parsed address, or the end of a sentence that says why it is refused. */
function parseReturnAddress(text: string): URL | string {
  if (text.length > LONGEST_ADDRESS) return `is longer than ${LONGEST_ADDRESS} characters`
  // Browsers drop tabs and line ends, take "\" for "/" and fold wide characters: refused before anything is parsed.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return 'holds characters that an address cannot have'
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return 'is not an absolute http or https address'
  const url = new URL(text)
  if (url.href.length > LONGEST_ADDRESS) return `is longer than ${LONGEST_ADDRESS} characters once it is encoded`
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'holds a user name or password'
  // ";" and "," are legal in a host, and would begin a new directive in our Content-Security-Policy.
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)$/.test(url.hostname)) return 'holds an unusual host name'
  if (isAmbiguousPath(url.pathname)) return 'has a path that a server could read in two ways'
  if (hasHashParameter(url)) return 'already holds a parameter "hash"'
  return url
}

/**
 * Servers differ in what they decode, and when: some decode twice, some leave out ";parameters" or a space behind "..",
 * some take overlong encodings. What has none of these is one path for all of them.
 */
function isAmbiguousPath(pathname: string): boolean {
  if (/%(2e|2f|5c|25|[01][0-9a-f]|7f)/i.test(pathname) || pathname.includes('/..')) return true
  try {
    decodeURIComponent(pathname)
    return false
  } catch {
    return true
  }
}

/** PHP leaves out spaces before a name and what is behind a NUL; brackets make a list of it there and elsewhere. */
function hasHashParameter(url: URL): boolean {
  const names = namesIn(url.search)
  return [...names, ...names.flatMap(namesIn)].some((name) => /^[\s[]*hash\s*($|[\][\0])/i.test(name))
}

/** The decoded names of a query, also as servers read it that take ";" for "&". */
function namesIn(query: string): string[] {
  return query.split(/[&;]/).flatMap((pair) => [...new URLSearchParams(pair).keys()])
}

/** Path with its "." and ".." resolved, as it was compared; query as it came. */
function normalised(parsed: URL, text: string): string {
  const at = text.indexOf('?')
  return parsed.origin + parsed.pathname + (at === -1 ? '' : text.slice(at))
}
