import { RateLimiterRedis } from 'rate-limiter-flexible'
import { type RedisLink, removeByPrefix } from '../redis/link.ts'
import { type Counter, type OpenCounter, openMemoryCounter } from './memory-counters.ts'
import { accountKey, DELAY, FAILED_ACCOUNT, FAILED_PAIR, PAIR_MARK } from './sign-in-limits.ts'

/** At one go: two copies of the app that take back at the same time must not leave a credit behind. */
const GIVE_BACK = `local left = (tonumber(redis.call('get', KEYS[1])) or 0) - tonumber(ARGV[1])
if left > 0 then redis.call('decrby', KEYS[1], ARGV[1]) else redis.call('del', KEYS[1]) end
return left`

/**
 * Counts in Redis, for all copies of the app together. While Redis is away each copy counts in its own memory, so that
 * guessing stays limited and viewers sign in; when it is back, what it holds counts again.
 */
export function redisCounters(link: RedisLink): OpenCounter {
  return (name, durationSeconds) =>
    insured(link, countInRedis(link, name, durationSeconds), openMemoryCounter(name, durationSeconds))
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
  }
}

function insured(link: RedisLink, inRedis: Counter, inMemory: Counter): Counter {
  async function first<T>(ask: (counter: Counter) => Promise<T>): Promise<T> {
    // A Redis that is full or a replica still tells its old counts: read there and counted here, no limit would be reached.
    if (!link.isAvailable()) return await ask(inMemory)
    try {
      return await link.run(() => ask(inRedis))
    } catch {
      // What went wrong is logged by the link, once a minute: here it would be once an attempt.
      return await ask(inMemory)
    }
  }
  return {
    get: (key) => first((counter) => counter.get(key)),
    set: (key, points, forSeconds) => first((counter) => counter.set(key, points, forSeconds)),
    penalty: (key, points, options) => first((counter) => counter.penalty(key, points, options)),
    delete: (key) => first((counter) => counter.delete(key)),
    giveBack: (key, points) => first((counter) => counter.giveBack(key, points)),
  }
}

/**
 * Forgets the failed sign-ins of an account, from everywhere, so that its owner need not wait. Those of their address
 * stay, since they may be somebody else's.
 * @param username as typed at the sign-in, in any spelling that counts as the same account.
 * @returns whether anything was counted.
 * @throws UpstreamError when Redis does not answer.
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
