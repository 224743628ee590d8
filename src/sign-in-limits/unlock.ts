import { ConfigError } from '../errors.ts'
import { withRedis } from '../redis/link.ts'
import type { LimitsStoreSettings } from '../redis/settings.ts'
import { unlockInRedis } from './redis-counters.ts'

const IN_MEMORY =
  'LIMITS_STORE_URL is memory:, so the failed sign-ins are counted in the memory of the app, where no command reaches ' +
  'them. Restart the app to forget them all, or keep them in Redis from now on: LIMITS_STORE_URL=redis://HOST. The ' +
  'longest wait is a day from the first failure.'

/**
 * Forgets the failed sign-ins of a viewer, so that they need not wait, while the login app runs.
 * @param username as typed at the sign-in.
 * @returns whether anything was counted.
 * @throws ConfigError where the counts are in the memory of the app.
 * @throws UpstreamError when Redis does not answer.
 */
export async function unlockViewer(settings: LimitsStoreSettings, username: string): Promise<boolean> {
  if (settings.kind === 'memory') throw new ConfigError(IN_MEMORY)
  return await withRedis(settings.redis, 'LIMITS_STORE_URL', (link) => unlockInRedis(link, username))
}
