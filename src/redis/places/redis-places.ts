import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type PlaceStore, type PlacesDeps, WITHOUT_PLACES } from '../../stores/places/place-store.ts'
import type { RedisAddress } from '../address.ts'
import type { RedisLink } from '../link.ts'

/**
 * Claims a place in one step and one round trip, as `claimPlace()`.
 * KEYS: the places of the viewer. ARGV: the place, the place that it replaces, the number of places, now, the end, how.
 */
const CLAIM = readFileSync(new URL('claim.lua', import.meta.url), 'utf8')
const Result = z.enum(['taken', 'taken-over', 'none-free'])

/** Opens the places of viewers in Redis. */
export async function openRedisPlaces(
  { redis }: { readonly redis: RedisAddress },
  options: PlacesDeps,
): Promise<PlaceStore> {
  const { openRedisLink } = await import('../link.ts')
  return redisPlaces(await openRedisLink(redis, { ...options, without: WITHOUT_PLACES }))
}

export function redisPlaces(link: RedisLink): PlaceStore {
  return {
    async claim(viewer, { place, replaces = '', most, nowSeconds, endsAtSeconds, how }) {
      const key = `${link.keyPrefix}screens:${viewer}`
      const given = [place, replaces, `${most}`, `${nowSeconds}`, `${endsAtSeconds}`, how]
      return Result.parse(await link.run(key, (commands) => commands.eval(CLAIM, { keys: [key], arguments: given })))
    },
    optionalStores: [link],
    close: () => link.close(),
  }
}
