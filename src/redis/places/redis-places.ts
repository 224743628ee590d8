import { z } from 'zod'
import { type PlaceStore, type PlacesDeps, WITHOUT_PLACES } from '../../stores/places/place-store.ts'
import type { RedisAddress } from '../address.ts'
import type { RedisLink } from '../link.ts'

/**
 * Claims a place in one step and one round trip, as `claimPlace()`.
 * KEYS: the places of the viewer. ARGV: the place, the place that it replaces, the number of places, now, the end, how.
 */
const CLAIM = `local own, replaced, how, last = ARGV[1], ARGV[2], ARGV[6], tonumber(ARGV[5])
local most, now, at = tonumber(ARGV[3]), tonumber(ARGV[4]), nil
local live = {}
for place, ending in string.gmatch(redis.call('get', KEYS[1]) or '', '(%S+) (%d+)') do
  if tonumber(ending) > now and place ~= replaced then table.insert(live, {place, ending}) end
end
-- The newest count. A place that was taken over goes at the next claim.
while #live > most do table.remove(live, 1) end
for index, one in ipairs(live) do
  if one[1] == own then at = index end
end
local isOver = not at and #live >= most
if isOver and how ~= 'newest' then return 'none-free' end
local result = isOver and 'taken-over' or 'taken'
if how == 'look' then return result end
if at and how == 'newest' then
  table.remove(live, at)
  at = nil
end
if at then live[at][2] = ARGV[5] else table.insert(live, {own, ARGV[5]}) end
local texts = {}
for _, one in ipairs(live) do
  table.insert(texts, one[1] .. ' ' .. one[2])
  last = math.max(last, tonumber(one[2]))
end
redis.call('set', KEYS[1], table.concat(texts, ' '), 'EX', last - now)
return result`
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
