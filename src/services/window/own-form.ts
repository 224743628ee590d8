import type { IncomingHttpHeaders } from 'node:http'

/**
 * True for the form of our own page, posted at the top level: by the frame into a window, or by the window itself.
 *
 * Asks for the exact `Origin` alone: every browser sends it with a post, and no page can forge it. `Sec-Fetch-Site` is
 * `cross-site` in WebKit for a window without an opener. Unlike at a password form, an absent origin is refused: a link
 * that started a sign-in could join the window of a viewer to the frame of an attacker.
 */
export function isFromOwnForm(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const destination = headers['sec-fetch-dest']
  return headers.origin === ownOrigin && (destination === undefined || destination === 'document')
}

/** Returns the headers that `isFromOwnForm()` refused, for the log. */
export function originOf(headers: IncomingHttpHeaders): string {
  const { origin = 'absent', 'sec-fetch-dest': destination = 'absent' } = headers
  return `Origin ${origin.slice(0, 200)}, Sec-Fetch-Dest ${String(destination).slice(0, 20)}`
}
