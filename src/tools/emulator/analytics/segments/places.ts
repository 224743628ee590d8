import { isIPv4 } from 'node:net'
import places from './places.json' with { type: 'json' }

export interface Place {
  readonly country: string
  readonly city: string
}

/**
 * Places of demo addresses. Place n (from 1) belongs to 127.0.0.n, and to host n of the
 * three networks for documentation (192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24). The emulator listens on loopback, so
 * it never sees a real address.
 */
export const DEMO_PLACES: readonly Place[] = places

const DEMO_NETWORK = /^(?:127\.0\.0|192\.0\.2|198\.51\.100|203\.0\.113)\.(\d+)$/

/** Returns the place of a demo address, else "Unknown". `::1` counts as 127.0.0.1. */
export function placeOf(address: string): Place {
  const plain = address === '::1' ? '127.0.0.1' : address.replace(/^::ffff:/i, '')
  const host = isIPv4(plain) ? DEMO_NETWORK.exec(plain)?.[1] : undefined
  const { country = 'Unknown', city = 'Unknown' } = DEMO_PLACES[Number(host) - 1] ?? {}
  return { country, city }
}
