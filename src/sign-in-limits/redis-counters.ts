import { RateLimiterRedis } from 'rate-limiter-flexible'
import { type RedisLink, removeByPrefix } from '../redis/link.ts'
import { type Counter, type OpenCounter, openMemoryCounter } from './memory-counters.ts'
import { accountKey, DELAY, FAILED_ACCOUNT, FAILED_PAIR, PAIR_MARK } from './sign-in-limits.ts'

/** Subtracts and deletes in one step, so that two copies of the app cannot leave a count below zero. */
const GIVE_BACK = `local left = (tonumber(redis.call('get', KEYS[1])) or 0) - tonumber(ARGV[1])
if left > 0 then redis.call('decrby', KEYS[1], ARGV[1]) else redis.call('del', KEYS[1]) end
return left`

/**
 * Counts in Redis, for all copies of the app together. While Redis is away, each copy counts in its own memory:
 * guessing stays limited, and viewers can sign in. When Redis is back, its counts apply again.
 */
export function redisCounters(link: RedisLink): OpenCounter {
  return (name, durationSeconds, mostKeys) => {
    const inMemory = openMemoryCounter(name, durationSeconds, mostKeys)
    return withMemoryFallback(link, countInRedis(link, name, durationSeconds), inMemory)
  }
}

function countInRedis(link: RedisLink, name: string, durationSeconds: number): Counter {
  const limiter = new RateLimiterRedis({
    storeClient: link.client,
    useRedisPackage: true,
    keyPrefix: `${link.keyPrefix}${name}`,
    points: Number.MAX_SAFE_INTEGER,
    duration: durationSeconds,
  })
  return {
    get: (key) => limiter.get(key),
    set: (key, points, forSeconds) => limiter.set(key, points, forSeconds),
    penalty: (key, points, options) => limiter.penalty(key, points, options),
    delete: (key) => limiter.delete(key),
    async giveBack(key, points) {
      await link.client.eval(GIVE_BACK, { keys: [limiter.getKey(key)], arguments: [String(points)] })
    },
    take: async (key) => Number((await link.client.getDel(limiter.getKey(key))) ?? 0),
  }
}

function withMemoryFallback(link: RedisLink, inRedis: Counter, inMemory: Counter): Counter {
  async function inRedisOrMemory<T>(use: (counter: Counter) => Promise<T>): Promise<T> {
    // A full Redis, or a replica, still returns old counts. Reading these and counting in memory would reach no limit.
    if (!link.isAvailable()) return await use(inMemory)
    try {
      return await link.run(() => use(inRedis))
    } catch {
      // The link logs the fault once a minute. A line for each attempt would flood the log.
      return await use(inMemory)
    }
  }
  return {
    get: (key) => inRedisOrMemory((counter) => counter.get(key)),
    set: (key, points, forSeconds) => inRedisOrMemory((counter) => counter.set(key, points, forSeconds)),
    penalty: (key, points, options) => inRedisOrMemory((counter) => counter.penalty(key, points, options)),
    delete: (key) => inRedisOrMemory((counter) => counter.delete(key)),
    giveBack: (key, points) => inRedisOrMemory((counter) => counter.giveBack(key, points)),
    take: (key) => inRedisOrMemory((counter) => counter.take(key)),
  }
}

/**
 * Deletes the failed sign-ins of an account, from all addresses, so that its owner can try immediately. The counts of
 * addresses stay, because they may belong to other viewers.
 * @param username as typed at the sign-in, in any spelling of the same account.
 * @returns true if there were counts.
 * @throws UpstreamError if Redis does not answer.
 */
export async function unlockInRedis(link: RedisLink, username: string): Promise<boolean> {
  const account = accountKey(username)
  const keyOf = (name: string, key: string) => `${link.keyPrefix}${name}:${key}`
  let removed = await link.run((client) => client.del(keyOf(FAILED_ACCOUNT, account)))
  for (const name of [FAILED_PAIR, DELAY]) {
    removed += await removeByPrefix(link, keyOf(name, `${account}${PAIR_MARK}`))
  }
  return removed > 0
}
