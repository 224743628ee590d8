import type { IncomingMessage } from 'node:http'

/** A target that is not a path, so that every server answers 404. */
const NO_PATH = '*'

/**
 * Replaces an absolute address in the request line by its path and query (RFC 9112, 3.2.2). Express would parse the
 * address with url.parse(), which prints an invalid address on standard error, with its query.
 */
export function keepPathOnly(req: Pick<IncomingMessage, 'url'>): void {
  const { url = NO_PATH } = req
  if (url.startsWith('/')) return
  const { protocol, pathname, search } = URL.parse(url) ?? { protocol: '', pathname: '', search: '' }
  req.url = protocol === 'http:' || protocol === 'https:' ? `${pathname}${search}` : NO_PATH
}
