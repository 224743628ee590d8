import { isIPv4 } from 'node:net'

export interface Place {
  readonly country: string
  readonly city: string
  /** An IANA zone, for the daily rhythm of generated views. */
  readonly timeZone: string
}

const UNKNOWN_PLACE = { country: 'Unknown', city: 'Unknown', timeZone: 'UTC' } as const satisfies Place

/**
 * The table of demo addresses: the place in line n (from 1) is where 127.0.0.n is, and the same host of each network set
 * aside for documentation (192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24). Real addresses never reach an emulator that
 * listens on loopback.
 */
export const DEMO_PLACES: readonly Place[] = [
  { country: 'United States', city: 'San Francisco', timeZone: 'America/Los_Angeles' },
  { country: 'United States', city: 'New York', timeZone: 'America/New_York' },
  { country: 'United States', city: 'Chicago', timeZone: 'America/Chicago' },
  { country: 'United States', city: 'Austin', timeZone: 'America/Chicago' },
  { country: 'Germany', city: 'Berlin', timeZone: 'Europe/Berlin' },
  { country: 'Germany', city: 'Munich', timeZone: 'Europe/Berlin' },
  { country: 'Hungary', city: 'Budapest', timeZone: 'Europe/Budapest' },
  { country: 'United Kingdom', city: 'London', timeZone: 'Europe/London' },
  { country: 'France', city: 'Paris', timeZone: 'Europe/Paris' },
  { country: 'Japan', city: 'Tokyo', timeZone: 'Asia/Tokyo' },
  { country: 'Japan', city: 'Osaka', timeZone: 'Asia/Tokyo' },
  { country: 'India', city: 'Bengaluru', timeZone: 'Asia/Kolkata' },
  { country: 'Brazil', city: 'São Paulo', timeZone: 'America/Sao_Paulo' },
  { country: 'Canada', city: 'Toronto', timeZone: 'America/Toronto' },
  { country: 'Australia', city: 'Sydney', timeZone: 'Australia/Sydney' },
  { country: 'Spain', city: 'Madrid', timeZone: 'Europe/Madrid' },
  { country: 'Netherlands', city: 'Amsterdam', timeZone: 'Europe/Amsterdam' },
  { country: 'Sweden', city: 'Stockholm', timeZone: 'Europe/Stockholm' },
  { country: 'Poland', city: 'Kraków', timeZone: 'Europe/Warsaw' },
  { country: 'South Africa', city: 'Cape Town', timeZone: 'Africa/Johannesburg' },
]

const DEMO_NETWORK = /^(?:127\.0\.0|192\.0\.2|198\.51\.100|203\.0\.113)\.(\d+)$/

/** Where an address is by the table of demo addresses; "Unknown" for one that is not in it. `::1` counts as 127.0.0.1. */
export function placeOf(address: string): Place {
  const plain = address === '::1' ? '127.0.0.1' : address.replace(/^::ffff:/i, '')
  const host = isIPv4(plain) ? DEMO_NETWORK.exec(plain)?.[1] : undefined
  return DEMO_PLACES[Number(host) - 1] ?? UNKNOWN_PLACE
}
