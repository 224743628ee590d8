import { isIPv4 } from 'node:net'

export interface Place {
  readonly country: string
  readonly city: string
}

const UNKNOWN_PLACE = { country: 'Unknown', city: 'Unknown' } as const satisfies Place

/**
 * Places of demo addresses. Place n (from 1) belongs to 127.0.0.n, and to host n of the three networks for
 * documentation (192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24). The emulator listens on loopback, so it never sees a
 * real address.
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

/** The states and provinces of the demo places, in their order. */
const REGIONS: readonly string[] = [
  ...['California', 'New York', 'Illinois', 'Texas', 'Berlin', 'Bavaria', 'Budapest', 'England', 'Île-de-France'],
  ...['Tokyo', 'Osaka', 'Karnataka', 'São Paulo', 'Ontario', 'New South Wales', 'Community of Madrid'],
  ...['North Holland', 'Stockholm County', 'Lesser Poland', 'Western Cape'],
]

const DEMO_NETWORK = /^(?:127\.0\.0|192\.0\.2|198\.51\.100|203\.0\.113)\.(\d+)$/

/** Returns the place of a demo address, else "Unknown". `::1` counts as 127.0.0.1. */
export function placeOf(address: string): Place {
  const plain = address === '::1' ? '127.0.0.1' : address.replace(/^::ffff:/i, '')
  const host = isIPv4(plain) ? DEMO_NETWORK.exec(plain)?.[1] : undefined
  return DEMO_PLACES[Number(host) - 1] ?? UNKNOWN_PLACE
}

/** Returns the state or province of a demo place, else "Unknown". */
export function regionOf({ country, city }: Place): string {
  return REGIONS[DEMO_PLACES.findIndex((place) => place.country === country && place.city === city)] ?? 'Unknown'
}
