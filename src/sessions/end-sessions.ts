import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { SessionStoreSettings } from '../redis/settings.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import { withSessionFile } from './with-session-file.ts'

const Row = z.object({ username: z.string() })

export interface EndedSessions {
  readonly ofUserStore: number
  readonly ofProviders: number
}

/**
 * Ends the sessions of a user name in the store; the login app may be running. The app reads the session at each visit,
 * so the viewers must sign in again. A player that already plays continues until its response expires.
 * @param username in any case.
 * @param includesProviders true to end also the sessions of viewers of identity providers with this name.
 * @returns the numbers of ended sessions.
 * @throws ConfigError if the file cannot be used.
 * @throws UpstreamError if Redis does not answer.
 */
export async function endSessions(
  settings: SessionStoreSettings,
  username: string,
  includesProviders: boolean,
): Promise<EndedSessions> {
  if (settings.kind === 'sqlite') {
    return withSessionFile(settings.file, { ofUserStore: 0, ofProviders: 0 }, (database) => {
      const end = (isOfProvider: boolean) => deleteByName(database, username, isOfProvider)
      return { ofUserStore: end(false), ofProviders: includesProviders ? end(true) : 0 }
    })
  }
  const { withRedis, lists } = await loadRedis()
  return await withRedis(settings.redis, 'SESSION_STORE_URL', async (link) => {
    const end = (list: string) => lists.endListedSessions(link, list)
    return {
      ofUserStore: await end(lists.listOfName(link, username)),
      ofProviders: includesProviders ? await end(lists.listOfProviderName(link, username)) : 0,
    }
  })
}

/** Ends the sessions of all viewers, and returns their number. @throws as `endSessions` does. */
export async function endAllSessions(settings: SessionStoreSettings): Promise<number> {
  if (settings.kind === 'sqlite') {
    return withSessionFile(settings.file, 0, (database) =>
      Number(database.prepare('DELETE FROM sessions').run().changes),
    )
  }
  const { withRedis, lists } = await loadRedis()
  return await withRedis(settings.redis, 'SESSION_STORE_URL', lists.endAllRedisSessions)
}

// Loaded late, because the Redis client takes a tenth of a second to load.
async function loadRedis() {
  const [{ withRedis }, lists] = await Promise.all([import('../redis/link.ts'), import('./redis-session-list.ts')])
  return { withRedis, lists }
}

/**
 * Deletes the sessions of a user name. Reads the text of each session: the app may not have updated the file to the columns
 * of this version yet.
 */
function deleteByName(database: DatabaseSync, username: string, isOfProvider: boolean): number {
  const key = usernameKey(username)
  const names = database.prepare('SELECT DISTINCT username FROM sessions').all()
  const matching = names.map((row) => Row.parse(row).username).filter((name) => usernameKey(name) === key)
  const remove = database.prepare(
    "DELETE FROM sessions WHERE username = ? AND (json_extract(data, '$.viewer.sso') IS NOT NULL) = ?",
  )
  return matching.reduce((ended, name) => ended + Number(remove.run(name, Number(isOfProvider)).changes), 0)
}
