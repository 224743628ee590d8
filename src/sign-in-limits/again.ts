import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const AGAIN_MS = 10_000
const MOST_FORMS = 2_000

/**
 * Creates the memory of forms whose work is done once. The same form again within ten seconds gets the same result, also
 * while the work runs. A work that failed, or whose result is null, is done again. Keeps only keyed digests of forms.
 */
export function createAgain<Result extends object>(nowMs: () => number = () => performance.now()) {
  const secret = randomBytes(32)
  const ttl = { ttl: AGAIN_MS, ttlResolution: 0, perf: { now: nowMs } }
  // `max` would reserve memory for each entry point.
  const results = new LRUCache<string, Promise<Result | null>>({
    maxSize: MOST_FORMS,
    sizeCalculation: () => 1,
    ...ttl,
  })
  return async (form: unknown, work: () => Promise<Result | null>): Promise<Result | null> => {
    const key = createHmac('sha256', secret).update(JSON.stringify(form)).digest('base64url')
    const running = results.get(key)
    // A refused form is not an answer for another post that waited for it.
    const known = running && (await running.catch(() => null))
    if (known) return known
    const result = work()
    results.set(key, result)
    const forget = () => results.get(key) === result && results.delete(key)
    result.then((one) => one === null && forget(), forget)
    return await result
  }
}
