import { RateLimiterRes } from 'rate-limiter-flexible'
import { z } from 'zod'
import { boundWait, type Counter, type OpenCounter, openMemoryCounter } from '../sign-in-limits/memory-counters.ts'
import { eachStep } from '../stores/stored-counts/each-step.ts'
import { type RedisLink, removeKeys } from './link.ts'

// Each script uses one key, so that all work in a cluster, and returns the points and the milliseconds left.
const GET = `return {redis.call('get', KEYS[1]), redis.call('pttl', KEYS[1])}`
const SET = `redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
return {ARGV[1], redis.call('pttl', KEYS[1])}`
const ADD = `redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
return {redis.call('incrby', KEYS[1], ARGV[1]), redis.call('pttl', KEYS[1])}`
/** Subtracts and deletes in one step, so that two copies of the app cannot leave a count below zero. */
const GIVE_BACK = `local left = (tonumber(redis.call('get', KEYS[1])) or 0) - tonumber(ARGV[1])
if left > 0 then redis.call('decrby', KEYS[1], ARGV[1]) else redis.call('del', KEYS[1]) end
return {left, redis.call('pttl', KEYS[1])}`

const Count = z.tuple([z.coerce.number(), z.number()])

/**
 * Counts in Redis, for all copies of the app together. While Redis is away, each copy counts in its own memory:
 * guessing stays limited, and viewers can sign in. When Redis is back, its counts apply again.
 */
export function redisCounters(link: RedisLink): OpenCounter {
  return (name, durationSeconds, mostKeys) => {
    const keyOf = keysOf(link, name)
    const inRedis = countInRedis(link, keyOf, durationSeconds)
    return withMemoryFallback(link, keyOf, inRedis, openMemoryCounter(name, durationSeconds, mostKeys))
  }
}

type KeyOf = (key: string | number) => string

/** Returns the keys in Redis for the keys of a counter. */
export function keysOf(link: RedisLink, name: string): KeyOf {
  return (key) => `${link.keyPrefix}${name}:${key}`
}

/** Counts in Redis. While Redis is away, every call throws an UpstreamError. */
export function countInRedis(link: RedisLink, keyOf: KeyOf, durationSeconds: number): Counter {
  async function evaluate(script: string, plainKey: string | number, ...values: number[]): Promise<RateLimiterRes> {
    const key = keyOf(plainKey)
    const given = { keys: [key], arguments: values.map(String) }
    const reply = await link.run(key, (commands) => commands.eval(script, given))
    const [points, msLeft] = Count.parse(reply)
    const [, longestSeconds = durationSeconds] = values
    return boundWait(new RateLimiterRes(Number.MAX_SAFE_INTEGER - points, msLeft, points), longestSeconds)
  }
  return {
    async get(key) {
      const count = await evaluate(GET, key)
      return count.consumedPoints === 0 ? null : count
    },
    set: (key, points, forSeconds) => evaluate(SET, key, points, forSeconds),
    penalty: (key, points = 1, options = {}) => evaluate(ADD, key, points, options.customDuration ?? durationSeconds),
    delete: async (key) => (await removeKeys(link, [keyOf(key)])) > 0,
    giveBack: async (key, points) => void (await evaluate(GIVE_BACK, key, points)),
    take: async (key) => Number((await link.run(keyOf(key), (commands) => commands.getDel(keyOf(key)))) ?? 0),
  }
}

function withMemoryFallback(link: RedisLink, keyOf: KeyOf, inRedis: Counter, inMemory: Counter): Counter {
  return eachStep(async (key, step) => {
    // A full Redis, or a replica, still returns old counts. Reading these and counting in memory would reach no limit.
    if (!link.isAvailable(keyOf(key))) return await step(inMemory)
    try {
      return await step(inRedis)
    } catch {
      // The link logs the fault once a minute. A line for each attempt would flood the log.
      return await step(inMemory)
    }
  })
}
