import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { ConfigError } from '../errors.ts'
import type { SessionStoreSettings } from '../redis/address.ts'
import { openRedisLink } from '../redis/link.ts'
import { makeDataFolder } from '../users/data-folder.ts'
import { openRedisSessionStore } from './redis-store.ts'
import { openSqliteSessionStore, type SessionLimits, type SessionStore } from './session-store.ts'

/** Of a store that the app can do without for a while: whether it must at the moment. */
export interface Comfort {
  isWell(): boolean
}

/**
 * Opens the store of SESSION_STORE_URL. Redis may be away: then viewers sign in without a session until it is back.
 * @param nowSeconds UNIX time in seconds.
 * @throws ConfigError when the file cannot be used.
 */
export async function openSessionStore(
  settings: SessionStoreSettings,
  limits: SessionLimits,
  { nowSeconds, log }: { nowSeconds: () => number; log: Pick<Logger, 'info' | 'warn'> },
): Promise<{ sessionStore: SessionStore; comforts: readonly Comfort[] }> {
  if (settings.kind === 'sqlite') {
    makeFolderOf(settings.file)
    return { sessionStore: openSqliteSessionStore(settings.file, limits, nowSeconds), comforts: [] }
  }
  const without = 'viewers sign in without a session'
  const link = await openRedisLink(settings.redis, { setting: 'SESSION_STORE_URL', without, log, nowSeconds })
  return { sessionStore: openRedisSessionStore(link, limits, nowSeconds), comforts: [link] }
}

function makeFolderOf(file: string): void {
  try {
    makeDataFolder(dirname(file))
  } catch (cause) {
    throw new ConfigError(
      `SESSION_STORE_URL: the folder of ${file} cannot be made (${(cause as NodeJS.ErrnoException).code}): ` +
        'let the user who runs this write there, or name another file.',
      { cause },
    )
  }
}
