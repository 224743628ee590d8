import type { IncomingHttpHeaders } from 'node:http'

/**
 * True for a post from this app's own page, or from outside a browser.
 *
 * Our cookie is SameSite=None, because the app runs in the player's iframe. Browsers therefore attach the cookie to
 * posts of other sites too. A form token is no alternative: without a cookie, it cannot be bound to a browser. A page
 * cannot forge the headers that its browser adds: `Sec-Fetch-Site`, or else `Origin` (OWASP: CSRF Prevention, "Fetch
 * Metadata"; Go's http.CrossOriginProtection has the same rule).
 *
 * A frame sandboxed without `allow-same-origin` sends `Origin: null`, which looks like an attack.
 *
 * @param ownOrigin the origin of PUBLIC_URL, never of the `Host` header.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return headers.origin === undefined || headers.origin === ownOrigin
}
