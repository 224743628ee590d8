import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import type { SessionStoreSettings } from '../redis/settings.ts'
import { usernameKey } from '../users/viewer-fields.ts'

/** Longer than in the app, because no viewer waits for a command. */
const LOCK_TIMEOUT_MS = 15_000

const Row = z.object({ username: z.string() })

export interface EndedSessions {
  readonly ofUserStore: number
  readonly ofProviders: number
}

/**
 * Ends the sessions of a user name in the store; the login app may be running. The app reads the session at each visit,
 * so the viewers must sign in again. A player that already plays continues until its response expires.
 * @param username in any case.
 * @param isOfProvidersToo true to end also the sessions of viewers of identity providers with this name.
 * @returns the number of ended sessions.
 * @throws ConfigError if the file cannot be used.
 * @throws UpstreamError if Redis does not answer.
 */
export async function endSessions(
  settings: SessionStoreSettings,
  username: string,
  isOfProvidersToo: boolean,
): Promise<EndedSessions> {
  if (settings.kind === 'sqlite') {
    return inFile(settings.file, { ofUserStore: 0, ofProviders: 0 }, (database) => {
      const end = (isOfProvider: boolean) => endOfName(database, username, isOfProvider)
      return { ofUserStore: end(false), ofProviders: isOfProvidersToo ? end(true) : 0 }
    })
  }
  const { withRedis, lists } = await loadRedis()
  return await withRedis(settings.redis, 'SESSION_STORE_URL', async (link) => {
    const end = (list: string) => lists.endListedSessions(link, list)
    return {
      ofUserStore: await end(lists.listOfName(link, username)),
      ofProviders: isOfProvidersToo ? await end(lists.listOfProviderName(link, username)) : 0,
    }
  })
}

/** Ends the sessions of all viewers, and returns their number. @throws as `endSessions` does. */
export async function endAllSessions(settings: SessionStoreSettings): Promise<number> {
  if (settings.kind === 'sqlite') {
    return inFile(settings.file, 0, (database) => Number(database.prepare('DELETE FROM sessions').run().changes))
  }
  const { withRedis, lists } = await loadRedis()
  return await withRedis(settings.redis, 'SESSION_STORE_URL', lists.endAllRedisSessions)
}

// Loaded late, because the Redis client takes a tenth of a second to load.
async function loadRedis() {
  const [{ withRedis }, lists] = await Promise.all([import('../redis/link.ts'), import('./redis-session-list.ts')])
  return { withRedis, lists }
}

/** Reads the text of each session: the app may not have updated the file to the columns of this version yet. */
function endOfName(database: DatabaseSync, username: string, isOfProvider: boolean): number {
  const key = usernameKey(username)
  const names = database.prepare('SELECT DISTINCT username FROM sessions').all()
  const matching = names.map((row) => Row.parse(row).username).filter((name) => usernameKey(name) === key)
  const remove = database.prepare(
    "DELETE FROM sessions WHERE username = ? AND (json_extract(data, '$.viewer.sso') IS NOT NULL) = ?",
  )
  return matching.reduce((ended, name) => ended + Number(remove.run(name, Number(isOfProvider)).changes), 0)
}

/** @param missing the result for a file that does not exist. */
function inFile<T>(file: string, missing: T, work: (database: DatabaseSync) => T): T {
  if (!existsSync(file)) return missing
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS })
    return work(database)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`SESSION_STORE_URL: the session file ${file} cannot be used (${reason}).`, { cause })
  } finally {
    database?.close()
  }
}
