import type { Request } from 'express'
import type { Logger } from 'pino'

/**
 * The viewer's address for the limits and the log: that of the connection, or with proxies in front the last one that a
 * trusted proxy wrote (Express's `trust proxy`, a number of hops).
 * @returns a function that says once when a proxy is there that the settings do not know: all viewers would share its
 *   address, and a few mistyped passwords would lock all of them out.
 */
export function createClientAddress(
  trustProxyHops: number,
  log: Pick<Logger, 'warn'>,
): (req: Pick<Request, 'ip' | 'headers'>) => string {
  let isSaid = trustProxyHops > 0
  return (req) => {
    if (!isSaid && req.headers['x-forwarded-for'] !== undefined) {
      isSaid = true
      log.warn(
        { event: 'unexpected-proxy' },
        'X-Forwarded-For arrived while TRUST_PROXY_HOPS is 0: if a proxy is in front, all viewers share its address in the limits; set TRUST_PROXY_HOPS to the number of proxies',
      )
    }
    return withoutPort(req.ip ?? '').slice(0, 64)
  }
}

/** Some proxies write "192.0.2.1:54321" or "[2001:db8::1]:54321". */
function withoutPort(address: string): string {
  return /^\[([^\]]+)\]/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address
}
