import type { Logger } from 'pino'
import type { RedisLink } from '../redis/link.ts'
import type { LimitsStoreSettings } from '../redis/settings.ts'
import type { OptionalStore } from '../server/monitoring/optional-store.ts'
import { type OpenCounter, openMemoryCounter } from './memory-counters.ts'

/**
 * Opens the counters of LIMITS_STORE_URL. While Redis is away, they count in memory.
 * @param nowSeconds UNIX time in seconds.
 */
export async function openCounters(
  settings: LimitsStoreSettings,
  { nowSeconds, log }: { nowSeconds: () => number; log: Pick<Logger, 'info' | 'warn'> },
): Promise<{ openCounter: OpenCounter; optionalStores: readonly OptionalStore[]; close: () => void }> {
  if (settings.kind === 'memory') return { openCounter: openMemoryCounter, optionalStores: [], close: () => {} }
  // Loaded late, because the Redis client takes a tenth of a second to load.
  const [{ openRedisLink }, { redisCounters }] = await Promise.all([
    import('../redis/link.ts'),
    import('./redis-counters.ts'),
  ])
  const without = 'each copy of the app counts failed sign-ins in its own memory'
  const link = await openRedisLink(settings.redis, { setting: 'LIMITS_STORE_URL', without, log, nowSeconds })
  void warnOfEviction(link, log)
  return { openCounter: redisCounters(link), optionalStores: [link], close: () => link.close() }
}

/** Warns if Redis may evict counts. Uses no `run()`: a Redis user who may not use INFO is not an outage. */
async function warnOfEviction(link: RedisLink, log: Pick<Logger, 'warn'>): Promise<void> {
  // The servers of a cluster have the same settings.
  const [server] = link.servers()
  const memory = (await server?.info('memory').catch(() => '')) ?? ''
  const [, bytes = '0'] = /^maxmemory:(\d+)/m.exec(memory) ?? []
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(memory) ?? []
  if (bytes === '0' || policy === 'noeviction') return
  log.warn(
    { event: 'redis-evicts', setting: 'LIMITS_STORE_URL', policy },
    `LIMITS_STORE_URL: Redis has maxmemory-policy ${policy}, so it forgets counts of failed sign-ins when it is full. ` +
      'Set noeviction.',
  )
}
