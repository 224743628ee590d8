import { readSharedStores } from '../../../../config.ts'
import { ConfigError, UpstreamError } from '../../../../errors.ts'
import { stores } from '../../../../stores.ts'
import type { CommandIo } from '../../terminal/io.ts'

/** The app waits while a file of sessions is written. */
const BATCH_SIZE = 1_000

/**
 * Ends the sessions of made-up viewers, so that `sessions list` has only real ones. If the store of the sessions cannot be
 * used, says so, because the viewers must be removed all the same.
 * @param areGuests true for viewers who are not in the user store.
 */
export async function endMadeUpSessions(
  { env, stderr }: Pick<CommandIo, 'env' | 'stderr'>,
  usernames: readonly string[],
  areGuests = false,
): Promise<void> {
  try {
    const sessions = await stores.sessions(readSharedStores(env).sessionStore)
    for (let at = 0; at < usernames.length; at += BATCH_SIZE) {
      await sessions.end(usernames.slice(at, at + BATCH_SIZE), areGuests)
    }
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof UpstreamError)) throw error
    stderr.write(`Sessions of the made-up viewers remain in the list until they expire. ${error.message}\n`)
  }
}
