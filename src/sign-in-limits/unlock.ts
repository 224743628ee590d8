import { ConfigError } from '../errors.ts'
import { withRedis } from '../redis/link.ts'
import type { LimitsStoreSettings } from '../redis/settings.ts'
import { unlockAddressInRedis, unlockInRedis } from './redis-counters.ts'

const IN_MEMORY =
  'LIMITS_STORE_URL is memory:, so failed sign-ins are counted in the memory of the app, which no command can reach. ' +
  'Restart the app to reset them all, or count in Redis: LIMITS_STORE_URL=redis://HOST. The longest wait is a day ' +
  'from the first failure.'

/** A viewer, an address, or both. */
export interface UnlockTarget {
  /** As typed at the sign-in. */
  readonly username?: string | undefined
  readonly address?: string | undefined
}

/** True if failed sign-ins were deleted. */
export interface UnlockResult {
  readonly viewer: boolean
  readonly address: boolean
}

/**
 * Deletes failed sign-ins, so that viewers can try immediately. The login app may be running.
 * @throws ConfigError if the counts are in the memory of the app.
 * @throws UpstreamError if Redis does not answer.
 */
export async function unlock(
  settings: LimitsStoreSettings,
  { username, address }: UnlockTarget,
): Promise<UnlockResult> {
  if (settings.kind === 'memory') throw new ConfigError(IN_MEMORY)
  return await withRedis(settings.redis, 'LIMITS_STORE_URL', async (link) => ({
    viewer: username !== undefined && (await unlockInRedis(link, username)),
    address: address !== undefined && (await unlockAddressInRedis(link, address)),
  }))
}
