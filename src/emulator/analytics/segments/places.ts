import { isIPv4 } from 'node:net'

export interface Place {
  readonly country: string
  readonly city: string
}

const UNKNOWN_PLACE = { country: 'Unknown', city: 'Unknown' } as const satisfies Place

/**
 * The table of demo addresses: the place in line n (from 1) is where 127.0.0.n is, and the same host of each network set
 * aside for documentation (192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24). Real addresses never reach an emulator that
 * listens on loopback.
 */
export const DEMO_PLACES: readonly Place[] = [
  { country: 'United States', city: 'San Francisco' },
  { country: 'United States', city: 'New York' },
  { country: 'United States', city: 'Chicago' },
  { country: 'United States', city: 'Austin' },
  { country: 'Germany', city: 'Berlin' },
  { country: 'Germany', city: 'Munich' },
  { country: 'Hungary', city: 'Budapest' },
  { country: 'United Kingdom', city: 'London' },
  { country: 'France', city: 'Paris' },
  { country: 'Japan', city: 'Tokyo' },
  { country: 'Japan', city: 'Osaka' },
  { country: 'India', city: 'Bengaluru' },
  { country: 'Brazil', city: 'São Paulo' },
  { country: 'Canada', city: 'Toronto' },
  { country: 'Australia', city: 'Sydney' },
  { country: 'Spain', city: 'Madrid' },
  { country: 'Netherlands', city: 'Amsterdam' },
  { country: 'Sweden', city: 'Stockholm' },
  { country: 'Poland', city: 'Kraków' },
  { country: 'South Africa', city: 'Cape Town' },
]

const DEMO_NETWORK = /^(?:127\.0\.0|192\.0\.2|198\.51\.100|203\.0\.113)\.(\d+)$/

/** Where an address is by the table of demo addresses; "Unknown" for one that is not in it. `::1` counts as 127.0.0.1. */
export function placeOf(address: string): Place {
  const plain = address === '::1' ? '127.0.0.1' : address.replace(/^::ffff:/i, '')
  const host = isIPv4(plain) ? DEMO_NETWORK.exec(plain)?.[1] : undefined
  return DEMO_PLACES[Number(host) - 1] ?? UNKNOWN_PLACE
}
