import type { Request } from 'express'
import type { Logger } from 'pino'
import { isInNetworks, type Network } from '../../sign-in-limits/settings.ts'

/** True if the address is a trusted proxy, whose X-Forwarded-For counts. `hop` is 0 for the connection. */
export type TrustsProxy = (address: string, hop: number) => boolean

/** Returns the proxies that the settings trust. With both settings, a proxy must be in the list and in the number. */
export function trustedProxiesOf(hops: number, networks: readonly Network[]): TrustsProxy {
  if (networks.length === 0) return (_address, hop) => hop < hops
  return (address, hop) => (hops === 0 || hop < hops) && isInNetworks(networks, withoutPort(address))
}

/**
 * Finds the viewer's address for the limits and the log. This is the address of the connection. Behind proxies, it is
 * the last address that a trusted proxy wrote.
 * @returns a function that warns once about a proxy that the settings do not mention. All viewers would share its
 *   address, and a few wrong passwords would lock all of them out.
 */
export function createClientAddress(
  trustsProxy: TrustsProxy,
  log: Pick<Logger, 'warn'>,
): (req: Pick<Request, 'ip' | 'headers' | 'socket'>) => string {
  let isLogged = false
  return (req) => {
    // A connection that has closed has no address.
    const address = req.socket.remoteAddress ?? ''
    if (!isLogged && address !== '' && req.headers['x-forwarded-for'] !== undefined && !trustsProxy(address, 0)) {
      isLogged = true
      log.warn(
        { event: 'unexpected-proxy', address },
        'Received X-Forwarded-For from an address that is not a trusted proxy. If it is your proxy, all viewers share its address in the limits. Set TRUST_PROXY_HOPS to the number of proxies, or add it to TRUSTED_PROXIES.',
      )
    }
    return withoutPort(req.ip ?? '').slice(0, 64)
  }
}

/** Removes the port: some proxies write "192.0.2.1:54321" or "[2001:db8::1]:54321". */
function withoutPort(address: string): string {
  return /^\[([^\]]+)\]/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address
}
