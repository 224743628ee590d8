import { ConfigError } from '../errors.ts'
import { withRedis } from '../redis/link.ts'
import type { LimitsStoreSettings } from '../redis/settings.ts'
import { unlockInRedis } from './redis-counters.ts'

const IN_MEMORY =
  'LIMITS_STORE_URL is memory:, so failed sign-ins are counted in the memory of the app, which no command can reach. ' +
  'Restart the app to reset them all, or count in Redis: LIMITS_STORE_URL=redis://HOST. The longest wait is a day ' +
  'from the first failure.'

/**
 * Deletes the failed sign-ins of a viewer, so that the viewer can try immediately. The login app may be running.
 * @param username as typed at the sign-in.
 * @returns true if there were counts.
 * @throws ConfigError if the counts are in the memory of the app.
 * @throws UpstreamError if Redis does not answer.
 */
export async function unlockViewer(settings: LimitsStoreSettings, username: string): Promise<boolean> {
  if (settings.kind === 'memory') throw new ConfigError(IN_MEMORY)
  return await withRedis(settings.redis, 'LIMITS_STORE_URL', (link) => unlockInRedis(link, username))
}
