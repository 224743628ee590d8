import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a request that changes something comes from this app's own page, or from outside a browser.
 *
 * Our cookie is SameSite=None, because we live in the player's iframe, so browsers attach it to other sites' posts too;
 * and a login form with no cookie at all has nothing to bind a token to. What a page cannot forge is what its browser
 * says of it: `Sec-Fetch-Site`, or where that is not sent, `Origin` (OWASP: CSRF Prevention, "Fetch Metadata"; the
 * rule is that of Go's http.CrossOriginProtection).
 *
 * A frame sandboxed without `allow-same-origin` sends `Origin: null` and cannot be told from an attack.
 *
 * @param ownOrigin from PUBLIC_URL, never from `Host`.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return headers.origin === undefined || headers.origin === ownOrigin
}
