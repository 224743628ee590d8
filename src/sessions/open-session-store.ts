import type { Logger } from 'pino'
import type { SessionStoreSettings } from '../redis/settings.ts'
import type { OptionalStore } from '../server/monitoring/optional-store.ts'
import type { SessionLimits, SessionStore } from './session-store.ts'
import { openSqliteSessionStore } from './sqlite-store.ts'

/**
 * Opens the store of SESSION_STORE_URL. While Redis is away, or the file is locked, viewers sign in without a session.
 * @param nowSeconds UNIX time in seconds.
 * @throws ConfigError if the file cannot be used.
 */
export async function openSessionStore(
  settings: SessionStoreSettings,
  limits: SessionLimits,
  { nowSeconds, log }: { nowSeconds: () => number; log: Pick<Logger, 'info' | 'warn'> },
): Promise<{ sessionStore: SessionStore; optionalStores: readonly OptionalStore[] }> {
  if (settings.kind === 'sqlite') {
    const sessionStore = openSqliteSessionStore(settings.file, limits, nowSeconds)
    return { sessionStore, optionalStores: [sessionStore] }
  }
  // Loaded late, because the Redis client takes a tenth of a second to load.
  const [{ openRedisLink }, { openRedisSessionStore }] = await Promise.all([
    import('../redis/link.ts'),
    import('./redis-store.ts'),
  ])
  const without = 'viewers sign in without a session'
  const link = await openRedisLink(settings.redis, { setting: 'SESSION_STORE_URL', without, log, nowSeconds })
  return { sessionStore: openRedisSessionStore(link, limits, nowSeconds), optionalStores: [link] }
}
