import { z } from 'zod'
import type { SessionStoreSettings } from '../redis/settings.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import { type SessionLimits, type ShownSession, StoredSession, shownSession } from './session-store.ts'
import { withSessionFile } from './with-session-file.ts'

type Ends = Pick<SessionLimits, 'lifetimeSeconds' | 'idleSeconds'>

const Rows = z.array(z.object({ data: z.string(), usedAtSeconds: z.number() }))

/**
 * Lists the sessions of a user name, the newest first: those of the viewer in the user store, and those of viewers of
 * identity providers. Changes nothing; the login app may be running.
 * @param username in any case.
 * @throws ConfigError if the file cannot be used.
 * @throws UpstreamError if Redis does not answer.
 */
export async function listSessions(
  settings: SessionStoreSettings,
  username: string,
  { lifetimeSeconds, idleSeconds }: Ends,
): Promise<ShownSession[]> {
  const stored = settings.kind === 'sqlite' ? inFile(settings.file, username) : await inRedis(settings.redis, username)
  const now = Date.now() / 1000
  return stored
    .filter(({ signedInAtSeconds, usedAtSeconds, provider }) => {
      const endsAtSeconds = Math.min(signedInAtSeconds + lifetimeSeconds, usedAtSeconds + idleSeconds)
      return Math.min(endsAtSeconds, provider?.endsAtSeconds ?? Number.POSITIVE_INFINITY) > now
    })
    .toSorted((one, other) => other.signedInAtSeconds - one.signedInAtSeconds)
}

function inFile(file: string, username: string): ShownSession[] {
  return withSessionFile(file, [], (database) => {
    const select = 'SELECT data, used_at AS usedAtSeconds FROM sessions WHERE username = ?'
    const rows = Rows.parse(database.prepare(select).all(usernameKey(username)))
    return rows.map(({ data, usedAtSeconds }) => {
      const { viewer } = StoredSession.parse(JSON.parse(data))
      return shownSession(viewer, usedAtSeconds)
    })
  })
}

type RedisAddress = Extract<SessionStoreSettings, { kind: 'redis' }>['redis']

async function inRedis(redis: RedisAddress, username: string): Promise<ShownSession[]> {
  // Loaded late, because the Redis client takes a tenth of a second to load.
  const [{ withRedis }, { readListedSessions }] = await Promise.all([
    import('../redis/link.ts'),
    import('./redis-store.ts'),
  ])
  return await withRedis(redis, 'SESSION_STORE_URL', (link) => readListedSessions(link, username))
}
