import type { Logger } from 'pino'
import type { SharedStores } from '../../../redis/settings.ts'
import type { FlowStore } from './flow-store.ts'
import { createMemoryFlows } from './memory-flows.ts'

/**
 * Opens the store of sign-ins that are under way: in the Redis of SESSION_STORE_URL or LIMITS_STORE_URL, else in memory.
 * @param nowSeconds UNIX time in seconds.
 */
export async function openFlows(
  { sessionStore, limitsStore }: SharedStores,
  { nowSeconds, log }: { nowSeconds: () => number; log: Pick<Logger, 'info' | 'warn'> },
): Promise<FlowStore> {
  const options = { without: 'single sign-on and passkeys do not work', log, nowSeconds }
  if (sessionStore.kind === 'redis')
    return await inRedis(sessionStore.redis, { ...options, setting: 'SESSION_STORE_URL' })
  if (limitsStore.kind === 'redis') return await inRedis(limitsStore.redis, { ...options, setting: 'LIMITS_STORE_URL' })
  return createMemoryFlows(nowSeconds)
}

// Loaded late, because the Redis client takes a tenth of a second to load.
async function inRedis(
  ...link: Parameters<typeof import('../../../redis/link.ts')['openRedisLink']>
): Promise<FlowStore> {
  const [{ openRedisLink }, { openRedisFlows }] = await Promise.all([
    import('../../../redis/link.ts'),
    import('./redis-flows.ts'),
  ])
  return openRedisFlows(await openRedisLink(...link))
}
