import { orUndefined } from '../errors.ts'

/** A checked address for an answer to the player. Only decideAddress() and parsePlayerAddress() create one. */
export interface ReturnAddress {
  /** Without the parameter of the answer. The query is unchanged, byte for byte. */
  readonly url: string
  /** Scheme, host and port, in the form of Content-Security-Policy's `form-action`. */
  readonly origin: string
}

/** An entry of the allow-list: an exact origin, and a path. A path that ends in "/" also allows every path below it. */
export interface AllowedAddress {
  readonly origin: string
  readonly path: string
}

export type ReturnDecision =
  | { readonly ok: true; readonly address: ReturnAddress }
  | { readonly ok: false; readonly reason: string }

const LONGEST_ADDRESS = 2048

/**
 * Decides where the response goes: to `hashConsumer` if it is given and on the allow-list, otherwise to the player
 * (specification: "Returning the authentication response to the player").
 *
 * @param hashConsumer as received, percent-decoded once; undefined if absent. An empty text is refused, not ignored.
 * @returns for a refusal, the end of a sentence that starts with "hashConsumer". Never redirect to a refused address.
 */
export function decideReturnAddress(
  hashConsumer: string | undefined,
  playerAddress: ReturnAddress,
  allowed: readonly AllowedAddress[],
): ReturnDecision {
  if (hashConsumer === undefined) return { ok: true, address: playerAddress }
  return decideAddress(hashConsumer, 'hash', allowed)
}

/**
 * Decides if an answer may go to an address. Only this function turns input of a browser into an address (OWASP:
 * Unvalidated Redirects and Forwards Cheat Sheet).
 * @param answer the parameter of the answer, in lower-case letters. The address must not have it yet.
 */
export function decideAddress(text: string, answer: string, allowed: readonly AllowedAddress[]): ReturnDecision {
  const parsed = parseReturnAddress(text, answer)
  if (typeof parsed === 'string') return { ok: false, reason: parsed }
  if (text.includes('#')) return { ok: false, reason: 'has a fragment' }
  if (!allowed.some((entry) => includes(entry, parsed)))
    return { ok: false, reason: 'is not on the list of allowed addresses' }
  return { ok: true, address: { url: normalized(parsed, text), origin: parsed.origin } }
}

function includes({ origin, path }: AllowedAddress, { origin: givenOrigin, pathname }: URL): boolean {
  return givenOrigin === origin && (path.endsWith('/') ? pathname.startsWith(path) : pathname === path)
}

/**
 * Parses the player's return address, from the settings. A fragment is allowed; `hash` goes before it.
 * @throws RangeError with the end of a sentence that starts with the setting's name.
 */
export function parsePlayerAddress(text: string): ReturnAddress {
  const parsed = parseReturnAddress(text)
  if (typeof parsed === 'string') throw new RangeError(parsed)
  return { url: text, origin: parsed.origin }
}

/**
 * Parses an address for the list of consumers, from the settings. Many customers share the service, so with an origin
 * alone another customer's page could collect our viewers' responses. The path must therefore have a name and end in "/".
 * @throws RangeError with the end of a sentence that starts with the address.
 */
export function parseAllowedConsumer(text: string): AllowedAddress {
  const address = parseAllowedAddress(text)
  if (!address.path.endsWith('/')) throw new RangeError('must end with "/"')
  return address
}

/**
 * Parses an address for a list of allowed addresses. A path without "/" at its end allows only this path.
 * @throws RangeError with the end of a sentence that starts with the address.
 */
export function parseAllowedAddress(text: string): AllowedAddress {
  const parsed = parseReturnAddress(text)
  if (typeof parsed === 'string') throw new RangeError(parsed)
  if (/[?#]/.test(text)) throw new RangeError('must have neither a query nor a fragment')
  if (/^\/+$/.test(parsed.pathname)) throw new RangeError('must have a path after the host, not only an origin')
  // The path of "/embed/1/.." is "/embed/", which would allow more than was written.
  if (parsed.pathname.endsWith('/') && !text.endsWith('/')) throw new RangeError('must end with "/"')
  return { origin: parsed.origin, path: parsed.pathname }
}

/**
 * Appends an answer to the query of the address, percent-encoded, before a fragment. It edits the string, because
 * URLSearchParams would rewrite the other parameters ("%20" to "+", "~" to "%7E").
 * @param answer the parameter: `hash`, whose value is the authentication response, or "false" for a viewer who cancels.
 */
export function appendAnswer(address: ReturnAddress, answer: string, value: string): string {
  const at = address.url.indexOf('#')
  const beforeFragment = at === -1 ? address.url : address.url.slice(0, at)
  const fragment = at === -1 ? '' : address.url.slice(at)
  const query = /\?(.*)$/.exec(beforeFragment)?.[1]
  const separator = query === undefined ? '?' : query === '' || query.endsWith('&') ? '' : '&'
  return `${beforeFragment}${separator}${answer}=${encodeURIComponent(value)}${fragment}`
}

/** Returns the reason for refusing an address that already has the parameter of the answer. */
export function alreadyHas(answer: string): string {
  return `already has a parameter "${answer}"`
}

/** Parses an address. Returns the URL, or the reason for refusing it as the end of a sentence. */
function parseReturnAddress(text: string, answer = 'hash'): URL | string {
  if (text.length > LONGEST_ADDRESS) return `is longer than ${LONGEST_ADDRESS} characters`
  // Browsers drop tabs and line ends, read "\" as "/" and fold wide characters. Refuse these before parsing.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return 'contains characters that an address cannot have'
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return 'is not an absolute http or https address'
  const url = new URL(text)
  if (url.href.length > LONGEST_ADDRESS) return `is longer than ${LONGEST_ADDRESS} characters after encoding`
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'contains a user name or password'
  // ";" and "," are legal in a host, and would start a new directive in our Content-Security-Policy.
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)$/.test(url.hostname)) return 'has an unusual host name'
  if (isAmbiguousPath(url.pathname)) return 'has a path that a server could read in two ways'
  if (hasParameter(url, answer)) return alreadyHas(answer)
  return url
}

/**
 * True for a path that servers read differently. Some servers decode twice, some drop ";parameters" or a space after
 * "..", some accept overlong encodings.
 */
function isAmbiguousPath(pathname: string): boolean {
  if (/%(2e|2f|5c|25|[01][0-9a-f]|7f)/i.test(pathname) || pathname.includes('/..')) return true
  return orUndefined(() => decodeURIComponent(pathname)) === undefined
}

/** True if a server could find this parameter. PHP drops leading spaces and all after a NUL; brackets make lists. */
function hasParameter(url: URL, answer: string): boolean {
  const names = namesIn(url.search)
  const pattern = new RegExp(`^[\\s[]*${answer}\\s*($|[\\][\\0])`, 'i')
  return [...names, ...names.flatMap(namesIn)].some((name) => pattern.test(name))
}

/** Returns the decoded names of a query. Some servers also split at ";", and some scripts read after any "?". */
function namesIn(query: string): string[] {
  return query.split(/[&;?]/).flatMap((pair) => [...new URLSearchParams(pair).keys()])
}

/** Returns the compared address, with "." and ".." resolved in the path. The query is unchanged. */
function normalized(parsed: URL, text: string): string {
  const at = text.indexOf('?')
  return parsed.origin + parsed.pathname + (at === -1 ? '' : text.slice(at))
}
