import { type RateLimiterAbstract, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

/** Counts per key. A key's count is forgotten as a whole, a fixed time after its first. */
export interface Counter extends Pick<RateLimiterAbstract, 'get' | 'set' | 'penalty' | 'delete'> {
  /** Takes points back from a key. One that is left with nothing is forgotten, and never starts with a credit. */
  giveBack(key: string, points: number): Promise<void>
}

/** Opens a counter that forgets a key `durationSeconds` after its first count. */
export type OpenCounter = (name: string, durationSeconds: number) => Counter

/**
 * About 60 MB of counts. Each key is a name and an address that somebody made up: without a bound, a day of guessing with
 * ever new names would fill all memory. To be forgotten early, a count must see as many others fail after it.
 */
const MOST_KEYS = 100_000

/** Counts in this process's memory; the counts that were least recently added to go first. */
export const openMemoryCounter: OpenCounter = (name, durationSeconds) =>
  boundedCounter(name, durationSeconds, MOST_KEYS)

/** A counter whose least recently used key is deleted whenever there is one too many. */
export function boundedCounter(name: string, durationSeconds: number, mostKeys: number): Counter {
  const counter = new RateLimiterMemory({
    keyPrefix: name,
    points: Number.MAX_SAFE_INTEGER,
    duration: durationSeconds,
  })
  const keys = new Set<string>()

  async function use(key: string): Promise<void> {
    keys.delete(key)
    keys.add(key)
    if (keys.size <= mostKeys) return
    const [oldest = key] = keys
    keys.delete(oldest)
    await counter.delete(oldest)
  }
  return {
    get: (key) => counter.get(key),
    async penalty(key, points, options) {
      await use(String(key))
      return await counter.penalty(key, points, options)
    },
    async set(key, points, durationSeconds) {
      await use(String(key))
      return await counter.set(key, points, durationSeconds)
    },
    async delete(key) {
      keys.delete(String(key))
      return await counter.delete(key)
    },
    async giveBack(key, points) {
      const found = await counter.get(key)
      if (found === null) return
      if (found.consumedPoints > points) {
        await counter.reward(key, points)
        return
      }
      keys.delete(key)
      await counter.delete(key)
    },
  }
}

export function secondsUntilForgotten({ msBeforeNext }: Pick<RateLimiterRes, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000))
}
