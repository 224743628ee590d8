import { type NamedSession, namedSession } from '../../stores/who-is-in/all-sessions.ts'
import { keysByPrefix, type RedisLink } from '../link.ts'
import { sessionKey } from '../session-keys.ts'

/** Limits the commands that wait for a reply at once. */
const READ_BATCH_SIZE = 500

/**
 * Visits the sessions on all servers.
 * @throws UpstreamError if a server does not answer. Some sessions may have been visited.
 */
export async function visitRedis(link: RedisLink, visit: (session: NamedSession) => void): Promise<void> {
  /** Redis may name a key twice. */
  const seen = new Set<string>()
  for await (const found of keysByPrefix(link, sessionKey(link, ''))) {
    const keys = [...new Set(found)].filter((key) => !seen.has(key))
    for (const key of keys) seen.add(key)
    for (let from = 0; from < keys.length; from += READ_BATCH_SIZE) {
      const batch = keys.slice(from, from + READ_BATCH_SIZE)
      const texts = await Promise.all(batch.map((key) => link.run(key, (commands) => commands.get(key))))
      for (const text of texts) {
        const session = text === null ? null : namedSession(text)
        if (session !== null) visit(session)
      }
    }
  }
}
