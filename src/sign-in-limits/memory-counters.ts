import { LRUCache } from 'lru-cache'
import { type RateLimiterAbstract, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

/**
 * Counts per key. The count of a key expires as a whole, a fixed time after its first increment. No wait is longer than
 * this time, even if the clock was set back.
 */
export interface Counter extends Pick<RateLimiterAbstract, 'get' | 'set' | 'penalty' | 'delete'> {
  /** Subtracts points from a key. At zero or below the key is deleted, so that no count is below zero. */
  giveBack(key: string, points: number): Promise<void>
  /** Deletes a key and returns its points, in one step: of parallel calls, only one gets them. */
  take(key: string): Promise<number>
}

/**
 * Opens a counter whose keys expire `durationSeconds` after their first increment.
 * @param mostKeys the most keys in the memory of this process; a shared store has no such limit.
 */
export type OpenCounter = (name: string, durationSeconds: number, mostKeys?: number) => Counter

/**
 * About 50 MB of counts. Attackers choose the names in the keys, so without a limit a day of guessing would fill the
 * memory. A key is evicted only after this many other keys were increased.
 */
const MOST_KEYS = 100_000

/** Counts in the memory of this process. The least recently increased key is evicted first. */
export const openMemoryCounter: OpenCounter = (name, durationSeconds, mostKeys = MOST_KEYS) => {
  const counter = new RateLimiterMemory({ keyPrefix: name, points: Number.MAX_SAFE_INTEGER, duration: durationSeconds })
  const keys = new LRUCache<string, true>({
    maxSize: mostKeys,
    sizeCalculation: () => 1,
    dispose: (_value, key, reason) => reason === 'evict' && counter.delete(key),
  })
  return {
    get: async (key) => boundWait(await counter.get(key), durationSeconds),
    async penalty(key, points, options) {
      keys.set(String(key), true)
      const count = await counter.penalty(key, points, options)
      return boundWait(count, options?.customDuration ?? durationSeconds)
    },
    async set(key, points, durationSeconds) {
      keys.set(String(key), true)
      return await counter.set(key, points, durationSeconds)
    },
    async delete(key) {
      keys.delete(String(key))
      return await counter.delete(key)
    },
    async giveBack(key, points) {
      const { consumedPoints } = await counter.reward(key, points)
      if (consumedPoints > 0) return
      keys.delete(key)
      await counter.delete(key)
    },
    async take(key) {
      // Both calls act before they return, so no other request comes between them.
      const [count] = await Promise.all([counter.get(key), counter.delete(key)])
      keys.delete(key)
      return count?.consumedPoints ?? 0
    },
  }
}

/** Returns the count, with a wait that is no longer than the life of its key. */
export function boundWait<Count extends RateLimiterRes | null>(count: Count, longestSeconds: number): Count {
  return count && Object.assign(count, { msBeforeNext: Math.min(count.msBeforeNext, longestSeconds * 1000) })
}
