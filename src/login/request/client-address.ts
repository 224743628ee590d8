import type { Request } from 'express'
import type { Logger } from 'pino'

/**
 * Finds the viewer's address for the limits and the log. This is the address of the connection. Behind proxies, it is
 * the last address that a trusted proxy wrote (`trust proxy` of Express, a number of hops).
 * @returns a function that warns once about a proxy that the settings do not mention. All viewers would share its
 *   address, and a few wrong passwords would lock all of them out.
 */
export function createClientAddress(
  trustProxyHops: number,
  log: Pick<Logger, 'warn'>,
): (req: Pick<Request, 'ip' | 'headers'>) => string {
  let isLogged = trustProxyHops > 0
  return (req) => {
    if (!isLogged && req.headers['x-forwarded-for'] !== undefined) {
      isLogged = true
      log.warn(
        { event: 'unexpected-proxy' },
        'Received X-Forwarded-For, but TRUST_PROXY_HOPS is 0. If a proxy is in front, all viewers share its address in the limits. Set TRUST_PROXY_HOPS to the number of proxies.',
      )
    }
    return withoutPort(req.ip ?? '').slice(0, 64)
  }
}

/** Removes the port: some proxies write "192.0.2.1:54321" or "[2001:db8::1]:54321". */
function withoutPort(address: string): string {
  return /^\[([^\]]+)\]/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address
}
