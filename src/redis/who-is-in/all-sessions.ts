import { type NamedSession, namedSession } from '../../stores/who-is-in/all-sessions.ts'
import { keysByPrefix, type RedisLink, valuesOf } from '../link.ts'
import { sessionKey } from '../session-keys.ts'

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
    for await (const text of valuesOf(link, keys)) {
      const session = namedSession(text)
      if (session !== null) visit(session)
    }
  }
}
