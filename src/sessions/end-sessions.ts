import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import type { SessionStoreSettings } from '../redis/settings.ts'
import { usernameKey } from '../users/viewer-fields.ts'

/** Longer than in the app, because no viewer waits for a command. */
const LOCK_TIMEOUT_MS = 15_000

const Row = z.object({ username: z.string() })

/**
 * Ends sessions in the store; the login app may be running. The app reads the session at each visit, so the viewers
 * must sign in again. A player that already plays continues until its response expires.
 * @param username in any case; null ends the sessions of all viewers.
 * @returns the number of ended sessions.
 * @throws ConfigError if the file cannot be used.
 * @throws UpstreamError if Redis does not answer.
 */
export async function endSessions(settings: SessionStoreSettings, username: string | null): Promise<number> {
  if (settings.kind === 'sqlite') return endInFile(settings.file, username)
  const [{ withRedis }, { endRedisSessions }] = await Promise.all([
    import('../redis/link.ts'),
    import('./redis-session-list.ts'),
  ])
  return await withRedis(settings.redis, 'SESSION_STORE_URL', (link) => endRedisSessions(link, username))
}

function endInFile(file: string, username: string | null): number {
  if (!existsSync(file)) return 0
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS })
    if (username === null) return Number(database.prepare('DELETE FROM sessions').run().changes)
    const remove = database.prepare('DELETE FROM sessions WHERE username = ?')
    const names = database
      .prepare('SELECT DISTINCT username FROM sessions')
      .all()
      .map((row) => Row.parse(row).username)
    const key = usernameKey(username)
    const matching = names.filter((name) => usernameKey(name) === key)
    return matching.reduce((ended, name) => ended + Number(remove.run(name).changes), 0)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`SESSION_STORE_URL: the session file ${file} cannot be used (${reason}).`, { cause })
  } finally {
    database?.close()
  }
}
