import type { Logger } from 'pino'
import type { StoredCounts } from '../stores/store-kind.ts'
import { type CountsInStore, failuresIn, unlock } from '../stores/stored-counts/stored-counts.ts'
import type { RedisAddress } from './address.ts'
import { countInRedis, keysOf, redisCounters } from './counters.ts'
import { keysByPrefix, openRedisLink, type RedisLink, withRedis } from './link.ts'

const SETTING = 'LIMITS_STORE_URL'

/** Counts of failed sign-ins in Redis. While Redis is away, each copy of the app counts in memory. */
export function redisCounts(address: RedisAddress): StoredCounts {
  return {
    async open({ nowSeconds, log }) {
      const without = 'each copy of the app counts failed sign-ins in its own memory'
      const link = await openRedisLink(address, { setting: SETTING, without, log, nowSeconds })
      void warnOfEviction(link, log)
      return { openCounter: redisCounters(link), optionalStores: [link], close: () => link.close() }
    },
    unlock: (target) => withRedis(address, SETTING, (link) => unlock(countsIn(link), target)),
    failedSignIns: (username) => withRedis(address, SETTING, (link) => failuresIn(countsIn(link), username)),
  }
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
    { event: 'redis-evicts', setting: SETTING, policy },
    `${SETTING}: Redis has maxmemory-policy ${policy}, so it forgets counts of failed sign-ins when it is full. ` +
      'Set noeviction.',
  )
}

/** The counts without a fallback in memory. */
export function countsIn(link: RedisLink): CountsInStore {
  return {
    openCounter: (name, durationSeconds) => countInRedis(link, keysOf(link, name), durationSeconds),
    async keys(name, prefix) {
      const found: string[] = []
      const start = keysOf(link, name)('')
      for await (const keys of keysByPrefix(link, start + prefix)) {
        found.push(...keys.map((key) => key.slice(start.length)))
      }
      return found
    },
  }
}
