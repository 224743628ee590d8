import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import type { SessionStoreSettings } from '../redis/settings.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import type { SessionLimits, SessionTimes } from './session-store.ts'

type Ends = Pick<SessionLimits, 'lifetimeSeconds' | 'idleSeconds'>

const LOCK_TIMEOUT_MS = 15_000
const Rows = z.array(z.object({ signedInAtSeconds: z.number(), usedAtSeconds: z.number() }))

/**
 * Lists the sessions of a viewer, the newest first. Changes nothing; the login app may be running.
 * @param username in any case.
 * @throws ConfigError if the file cannot be used.
 * @throws UpstreamError if Redis does not answer.
 */
export async function listSessions(
  settings: SessionStoreSettings,
  username: string,
  { lifetimeSeconds, idleSeconds }: Ends,
): Promise<SessionTimes[]> {
  const stored = settings.kind === 'sqlite' ? inFile(settings.file, username) : await inRedis(settings.redis, username)
  const now = Date.now() / 1000
  return stored
    .filter(
      ({ signedInAtSeconds: begin, usedAtSeconds: used }) => begin > now - lifetimeSeconds && used > now - idleSeconds,
    )
    .toSorted((one, other) => other.signedInAtSeconds - one.signedInAtSeconds)
}

function inFile(file: string, username: string): SessionTimes[] {
  if (!existsSync(file)) return []
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS })
    const select = 'SELECT signed_in_at AS signedInAtSeconds, used_at AS usedAtSeconds FROM sessions WHERE username = ?'
    return Rows.parse(database.prepare(select).all(usernameKey(username)))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`SESSION_STORE_URL: the session file ${file} cannot be used (${reason}).`, { cause })
  } finally {
    database?.close()
  }
}

type RedisAddress = Extract<SessionStoreSettings, { kind: 'redis' }>['redis']

async function inRedis(redis: RedisAddress, username: string): Promise<SessionTimes[]> {
  // Loaded late, because the Redis client takes a tenth of a second to load.
  const [{ withRedis }, { readListedSessions }] = await Promise.all([
    import('../redis/link.ts'),
    import('./redis-store.ts'),
  ])
  return await withRedis(redis, 'SESSION_STORE_URL', (link) => readListedSessions(link, username))
}
